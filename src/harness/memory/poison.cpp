#include "src/harness/memory/poison.h"

#include <algorithm>
#include <cstring>

#include "src/core/require.h"
#include "src/problem/format_bits.h"

namespace assay {
namespace {

// A multiple of every period, so that a chunk of this size leaves the phase as it was.
constexpr Index kChunkBytes = 12288;

using Values = std::vector<std::uint64_t>;

// The second variant starts elsewhere and with the other sign: every position changes.
std::vector<std::uint64_t> format_values(Format format, int variant) {
  const FormatBits bits = format_bits(format);
  // Bytes of packed codes, none of which is a NaN: the largest of either sign.
  if (traits(format).packed() > 1) {
    return variant == 0 ? Values{0x77, 0xff} : Values{0xf7, 0x7f};
  }
  if (traits(format).integer) {  // the largest and the least numbers
    return variant == 0 ? Values{0x7f, 0x81, 0x80} : Values{0x81, 0x80, 0x7f};
  }
  const std::uint32_t nan = traits(format).nan[variant];
  const std::uint32_t sign = std::uint32_t{1} << bits.sign_bit;
  const std::uint32_t infinity = bits.over_code, most = bits.max_code;
  if (variant == 0) { return {nan, infinity, most, nan | sign, infinity | sign, most | sign}; }
  return {most | sign, nan | sign, infinity | sign, most, nan, infinity};
}

std::vector<std::uint64_t> index_values(IndexType type, int variant) {
  if (type == IndexType::kI32) {
    if (variant == 0) { return {0x7fffffff, 0x80000001, 0x40000003}; }
    return {0x80000003, 0x50000001, 0x7ffffffd};
  }
  if (variant == 0) { return {0x7fffffffffffffff, 0x8000000000000001, 0x4000000000000003}; }
  return {0x8000000000000003, 0x5000000000000001, 0x7ffffffffffffffd};
}

// The non-canonical half of the address space, and as numbers NaN of every format.
std::vector<std::uint64_t> byte_values(int variant) {
  if (variant == 0) { return {0x7fe57fe57fe57fe5}; }
  return {0xffdaffdaffdaffda - 0x0001000000000000};
}

template <class Make>
std::vector<PoisonPattern> make_all(Make make) {
  std::vector<PoisonPattern> patterns;
  for (const Format format : kAllFormats) {
    for (int variant = 0; variant < 2; ++variant) { patterns.push_back(make(format, variant)); }
  }
  return patterns;
}

}  // namespace

PoisonPattern::PoisonPattern(const std::vector<std::uint64_t>& values, Index value_bytes)
    : period_(static_cast<Index>(values.size()) * value_bytes),
      block_(static_cast<std::size_t>(kChunkBytes + period_)) {
  ASSAY_REQUIRE(kChunkBytes % period_ == 0, period_);
  for (Index at = 0; at < static_cast<Index>(block_.size()); at += value_bytes) {
    // Little-endian, as every format here is stored.
    std::memcpy(block_.data() + at, &values[(at / value_bytes) % values.size()], value_bytes);
  }
}

const PoisonPattern& PoisonPattern::of(Format format, int variant) {
  static const std::vector<PoisonPattern> patterns = make_all([](Format each, int which) {
    return PoisonPattern(format_values(each, which), size_bytes(each));
  });
  return patterns[static_cast<int>(format) * 2 + variant];
}

const PoisonPattern& PoisonPattern::unwritten(Format format, int variant) {
  static const std::vector<PoisonPattern> patterns = make_all([](Format each, int which) {
    return PoisonPattern({unwritten_bits(each, which)}, size_bytes(each));
  });
  return patterns[static_cast<int>(format) * 2 + variant];
}

const PoisonPattern& PoisonPattern::zeros() {
  static const PoisonPattern pattern({0}, 8);
  return pattern;
}

const PoisonPattern& PoisonPattern::of(IndexType type, int variant) {
  static const PoisonPattern patterns[] = {PoisonPattern(index_values(IndexType::kI32, 0), 4),
                                           PoisonPattern(index_values(IndexType::kI32, 1), 4),
                                           PoisonPattern(index_values(IndexType::kI64, 0), 8),
                                           PoisonPattern(index_values(IndexType::kI64, 1), 8)};
  return patterns[(type == IndexType::kI32 ? 0 : 2) + variant];
}

const PoisonPattern& PoisonPattern::of(ScaleFormat format) {
  static const PoisonPattern kPatterns[] = {
      {{traits(ScaleFormat::kFp32).nan}, traits(ScaleFormat::kFp32).size_bytes},
      {{traits(ScaleFormat::kE8m0).nan}, traits(ScaleFormat::kE8m0).size_bytes},
      {{traits(ScaleFormat::kE4m3).nan}, traits(ScaleFormat::kE4m3).size_bytes}};
  return kPatterns[static_cast<std::size_t>(format)];
}

const PoisonPattern& PoisonPattern::of_bytes(int variant) {
  static const PoisonPattern patterns[] = {PoisonPattern(byte_values(0), 8),
                                           PoisonPattern(byte_values(1), 8)};
  return patterns[variant];
}

Index PoisonPattern::phase(Index offset) const {
  const Index remainder = offset % period_;
  return remainder < 0 ? remainder + period_ : remainder;
}

void PoisonPattern::fill(std::byte* to, Index bytes, Index offset) const {
  const std::byte* from = block_.data() + phase(offset);
  for (Index done = 0; done < bytes; done += kChunkBytes) {
    std::memcpy(to + done, from, std::min(kChunkBytes, bytes - done));
  }
}

Index PoisonPattern::first_difference(const std::byte* at, Index bytes, Index offset) const {
  const std::byte* expected = block_.data() + phase(offset);
  for (Index done = 0; done < bytes; done += kChunkBytes) {
    const Index length = std::min(kChunkBytes, bytes - done);
    if (std::memcmp(at + done, expected, length) == 0) { continue; }
    return done + (std::mismatch(at + done, at + done + length, expected).first - (at + done));
  }
  return -1;
}

std::uint32_t unwritten_bits(Format format, int variant) {
  return traits(format).unwritten[variant];
}

}  // namespace assay
