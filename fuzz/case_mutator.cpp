#include "fuzz/case_mutator.h"

#include <cstring>
#include <optional>

#include "fuzz/case_file.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

CaseSpec read_case(std::string_view text, const MutationSpace& space) {
  const Result<CaseSpec> parsed = parse_case_file(text);
  return parsed ? *parsed : simplest_case(space);
}

// Nothing when it does not fit.
std::optional<std::size_t> write_case(const CaseSpec& spec, std::uint8_t* out,
                                      std::size_t max_size) {
  const std::string text = short_text(spec);
  if (text.size() > max_size) { return std::nullopt; }
  std::memcpy(out, text.data(), text.size());
  return text.size();
}

// Some room is always used: libFuzzer wants at least one byte.
std::size_t write_simplest(const MutationSpace& space, std::uint8_t* out, std::size_t max_size) {
  const std::string text = short_text(simplest_case(space));
  const std::size_t size = text.size() < max_size ? text.size() : max_size;
  std::memcpy(out, text.data(), size);
  return size;
}

}  // namespace

std::size_t mutate_case_text(std::uint8_t* data, std::size_t size, std::size_t max_size,
                             std::uint64_t seed, const MutationSpace& space) {
  const CaseSpec spec = read_case({reinterpret_cast<const char*>(data), size}, space);
  Rng rng(seed);
  constexpr int kTries = 8;
  for (int i = 0; i < kTries; ++i) {
    const CaseSpec mutated = mutate_case(spec, space, rng);
    if (mutated == spec) { continue; }
    if (const auto written = write_case(mutated, data, max_size)) { return *written; }
  }
  return write_simplest(space, data, max_size);
}

std::size_t cross_case_texts(std::string_view first, std::string_view second, std::uint8_t* out,
                             std::size_t max_size, std::uint64_t seed, const MutationSpace& space) {
  Rng rng(seed);
  const CaseSpec a = read_case(first, space);
  const CaseSpec b = read_case(second, space);
  const auto written = write_case(cross_cases(a, b, space, rng), out, max_size);
  return written ? *written : write_simplest(space, out, max_size);
}

}  // namespace assay
