#include "oracle/element_lines.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "oracle/fast/simd.h"

namespace assay::oracle {
namespace {

constexpr std::uint32_t kSign = 0x80000000, kInfinity = 0x7F800000;
constexpr int kFloatFraction = 23;

// A format inside of fp32: its magnitude shifted into place counts exponents from another bias,
// which one exact product puts right, subnormals included.
template <class Storage>
struct Widening {
  const Storage* source;
  Index count;
  int shift;
  float scale;
  std::uint32_t max_finite;
  std::uint32_t magnitude_mask;
  int sign_shift;
};

// All ones where the condition holds.
ASSAY_SIMD_BODY std::uint32_t mask_of(bool condition) {
  return 0u - static_cast<std::uint32_t>(condition);
}

// NaN becomes an infinity: what follows only asks for finite or not.
template <class Storage>
ASSAY_SIMD_BODY void widen_body(const Widening<Storage>& job, float* out) {
  const Storage* source = job.source;
  const Widening<Storage> constants = job;
  for (Index i = 0; i < constants.count; ++i) {
    const std::uint32_t bits = source[i];
    const std::uint32_t magnitude = bits & constants.magnitude_mask;
    const float scaled = std::bit_cast<float>(magnitude << constants.shift) * constants.scale;
    const std::uint32_t special = mask_of(magnitude > constants.max_finite);
    const std::uint32_t sign = (bits & ~constants.magnitude_mask) << constants.sign_shift;
    const std::uint32_t wide = std::bit_cast<std::uint32_t>(scaled) & ~special;
    out[i] = std::bit_cast<float>(wide | (kInfinity & special) | sign);
  }
}
ASSAY_SIMD_FUNCTION(widen8, widen_body, (const Widening<std::uint8_t>& job, float* out), (job, out))
ASSAY_SIMD_FUNCTION(widen16, widen_body, (const Widening<std::uint16_t>& job, float* out),
                    (job, out))
ASSAY_SIMD_FUNCTION(widen32, widen_body, (const Widening<std::uint32_t>& job, float* out),
                    (job, out))

ASSAY_SIMD_BODY void widen_integers_body(const std::uint8_t* source, Index count, float* out) {
  for (Index i = 0; i < count; ++i) {
    out[i] = static_cast<float>(static_cast<std::int8_t>(source[i]));
  }
}
ASSAY_SIMD_FUNCTION(widen_integers, widen_integers_body,
                    (const std::uint8_t* source, Index count, float* out), (source, count, out))

// Infinities stay: only the low bits of a finite number carry into the exponent.
ASSAY_SIMD_BODY void convert_body(std::uint32_t dropped, std::uint32_t half, bool to_even,
                                  Index count, float* values) {
  for (Index i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(values[i]);
    const std::uint32_t last = to_even ? ((bits & (dropped + 1)) != 0 ? 1u : 0u) : 0u;
    values[i] = std::bit_cast<float>((bits + half + last) & ~dropped);
  }
}
ASSAY_SIMD_FUNCTION(convert_values, convert_body,
                    (std::uint32_t dropped, std::uint32_t half, bool to_even, Index count,
                     float* values),
                    (dropped, half, to_even, count, values))

ASSAY_SIMD_BODY float finite_or_zero(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>(bits & ~mask_of((bits & kInfinity) == kInfinity));
}
ASSAY_SIMD_BODY void spread_body(const float* values, Index count, const DecodedLine& out) {
  const DecodedLine to = out;
  for (Index i = 0; i < count; ++i) { to.values[i] = finite_or_zero(values[i]); }
  if (to.magnitudes32 != nullptr) {
    for (Index i = 0; i < count; ++i) { to.magnitudes32[i] = std::abs(finite_or_zero(values[i])); }
  }
  if (to.magnitudes64 != nullptr) {
    for (Index i = 0; i < count; ++i) { to.magnitudes64[i] = std::abs(finite_or_zero(values[i])); }
  }
}
ASSAY_SIMD_FUNCTION(spread_values, spread_body,
                    (const float* values, Index count, const DecodedLine& out),
                    (values, count, out))

struct BitRange {
  std::uint32_t largest = 0;         // magnitude bits of the finite ones
  std::uint32_t largest_of_all = 0;  // of infinities too
  std::uint32_t any_subnormal = 0;   // not zero: some are below `normal`
  std::int32_t least_exponent = OperandRange::kAllZero;
};
ASSAY_SIMD_BODY void range_body(const float* values, Index count, std::uint32_t normal,
                                BitRange& range) {
  BitRange found = range;
  for (Index i = 0; i < count; ++i) {
    const std::uint32_t all = std::bit_cast<std::uint32_t>(values[i]) & ~kSign;
    const std::uint32_t magnitude = all & ~mask_of(all >= kInfinity);
    found.largest_of_all = found.largest_of_all < all ? all : found.largest_of_all;
    found.largest = found.largest < magnitude ? magnitude : found.largest;
    // Neither zero, which wraps around, nor normal.
    found.any_subnormal |= mask_of(magnitude - 1 < normal - 1);
    const std::uint32_t field = magnitude >> kFloatFraction;
    const std::uint32_t implicit = mask_of(field != 0) & 1u << kFloatFraction;
    const std::uint32_t significand = (magnitude & 0x7FFFFF) | implicit;
    // The lowest bit as a float tells its position by its exponent.
    const auto lowest = static_cast<std::int32_t>(significand & (0u - significand));
    const auto position = static_cast<std::int32_t>(
        std::bit_cast<std::uint32_t>(static_cast<float>(lowest)) >> kFloatFraction);
    const std::int32_t exponent =
        position + static_cast<std::int32_t>(field) + (field == 0 ? 1 : 0) - 277;
    const std::int32_t counted = magnitude == 0 ? OperandRange::kAllZero : exponent;
    found.least_exponent = found.least_exponent < counted ? found.least_exponent : counted;
  }
  range = found;
}
ASSAY_SIMD_FUNCTION(scan_range, range_body,
                    (const float* values, Index count, std::uint32_t normal, BitRange& range),
                    (values, count, normal, range))

template <class Storage>
Widening<Storage> widening(Format format, const Storage* source, Index count) {
  const FormatShape form = shape(format);
  return {.source = source,
          .count = count,
          .shift = kFloatFraction - form.fraction_bits(),
          .scale = std::ldexp(1.0F, 126 + form.min_exponent),
          .max_finite = form.max_finite,
          .magnitude_mask = form.sign_bit() - 1,
          .sign_shift = 32 - form.bits};
}

// The elements [first, first + count) of a line, contiguous and aligned.
template <class Storage>
const Storage* contiguous(const ElementLine& line, Index first, Index count, Storage* buffer) {
  const Index step = line.stride * static_cast<Index>(sizeof(Storage));
  const char* source = line.first + first * step;
  if (line.stride == 1 && reinterpret_cast<std::uintptr_t>(source) % sizeof(Storage) == 0) {
    return reinterpret_cast<const Storage*>(source);
  }
  if (line.stride == 1) {
    std::memcpy(buffer, source, count * sizeof(Storage));
  } else {
    for (Index i = 0; i < count; ++i) {
      std::memcpy(buffer + i, source + i * step, sizeof(Storage));
    }
  }
  return buffer;
}

// Part of a line as converted floats; what is not finite is an infinity.
void widen_chunk(const ElementLine& line, Index first, Index count, Conversion conversion,
                 float* out) {
  alignas(64) std::uint32_t buffer[kElementChunk];
  switch (shape(line.format).size_bytes) {
    case 1: {
      const auto* bytes = contiguous(line, first, count, reinterpret_cast<std::uint8_t*>(buffer));
      if (shape(line.format).integer) {
        widen_integers(bytes, count, out);
      } else {
        widen8(widening(line.format, bytes, count), out);
      }
      break;
    }
    case 2: {
      auto* halves = reinterpret_cast<std::uint16_t*>(buffer);
      widen16(widening(line.format, contiguous(line, first, count, halves), count), out);
      break;
    }
    default:
      widen32(widening(line.format, contiguous(line, first, count, buffer), count), out);
  }
  if (conversion == Conversion::kTf32Rz) { convert_values(0x1FFF, 0, false, count, out); }
  if (conversion == Conversion::kTf32Rna) { convert_values(0x1FFF, 0x1000, false, count, out); }
  if (conversion == Conversion::kBf16) { convert_values(0xFFFF, 0x7FFF, true, count, out); }
}

template <class Work>
void for_each_chunk(const ElementLine& line, Conversion conversion, const Work& work) {
  alignas(64) float values[kElementChunk];
  for (Index first = 0; first < line.count; first += kElementChunk) {
    const Index count = std::min(kElementChunk, line.count - first);
    widen_chunk(line, first, count, conversion, values);
    work(first, count, values);
  }
}

}  // namespace

void decode_line(const ElementLine& line, Conversion conversion, const DecodedLine& out) {
  for_each_chunk(line, conversion, [&](Index first, Index count, const float* values) {
    const auto from = [&](auto* pointer) { return pointer == nullptr ? pointer : pointer + first; };
    spread_values(values, count,
                  {from(out.values), from(out.magnitudes32), from(out.magnitudes64)});
  });
}

void read_elements(const ElementLine& line, float* values, Conversion conversion) {
  widen_chunk(line, 0, line.count, conversion, values);
}

namespace {

int lowest_bit_exponent(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  return exponent - 53 + std::countr_zero(significand);
}

// Codes of one scale join the range of all elements.
void add_scaled(const BitRange& codes, double scale, OperandRange& range) {
  const bool finite = codes.largest_of_all < kInfinity && std::isfinite(scale);
  range.finite = range.finite && finite;
  range.subnormal = range.subnormal || codes.any_subnormal != 0;
  if (!std::isfinite(scale) || scale == 0 || codes.largest == 0) { return; }
  range.largest = std::max(range.largest, std::bit_cast<float>(codes.largest) * std::abs(scale));
  range.quantum_exponent =
      std::min(range.quantum_exponent, codes.least_exponent + lowest_bit_exponent(scale));
}

OperandRange scaled_range_of(const Matrix& lines, std::uint32_t normal) {
  OperandRange range{.scales = scale_range_of(lines)};
  alignas(64) float values[kElementChunk];
  for (Index line = 0; line < lines.rows; ++line) {
    for (Index col = 0; col < lines.cols; col += kElementChunk) {
      const Index count = std::min(kElementChunk, lines.cols - col);
      read_elements({lines.format, lines.address(line, col), lines.col_stride, count}, values);
      for_each_scale(lines.scales, line, col, count, [&](Index first, Index run, double scale) {
        BitRange codes;
        scan_range(values + first, run, normal, codes);
        add_scaled(codes, scale, range);
      });
    }
  }
  return range;
}

}  // namespace

OperandRange fast_range_of(const Matrix& matrix, Conversion conversion) {
  const int min_exponent = shape(converted_format(matrix.format, conversion)).min_exponent;
  const auto normal = std::bit_cast<std::uint32_t>(std::ldexp(1.0F, min_exponent));
  const bool by_rows = matrix.col_stride == 1 || matrix.row_stride != 1;
  const Matrix lines = by_rows ? matrix : matrix.transposed();
  if (matrix.scales.present()) { return scaled_range_of(lines, normal); }
  BitRange bits;
  for (Index line = 0; line < lines.rows && lines.cols > 0; ++line) {
    for_each_chunk(
        {lines.format, lines.address(line, 0), lines.col_stride, lines.cols}, conversion,
        [&](Index, Index count, const float* values) { scan_range(values, count, normal, bits); });
  }
  return {.largest = std::bit_cast<float>(bits.largest),
          .subnormal = bits.any_subnormal != 0,
          .finite = bits.largest_of_all < kInfinity,
          .quantum_exponent = bits.least_exponent};
}

}  // namespace assay::oracle
