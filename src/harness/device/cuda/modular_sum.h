// Elements as small integers and sums modulo p = 2^61 - 1, for host and device: what
// oracle/integer_lines.h and oracle/fingerprint/modular.h do, in other ways, without multiplying
// residues.
#pragma once

#include <cstdint>

#include "oracle/integer_lines.h"
#include "src/core/host_device.h"

namespace assay {

inline constexpr int kResidueBits = 61;
inline constexpr std::uint64_t kModulus = (std::uint64_t{1} << kResidueBits) - 1;

// How bits are read: a format, as integers times 2^unit up to a limit.
struct IntegerReading {
  int fraction_bits = 0;
  std::uint32_t sign_bit = 0;
  bool integer = false;  // two's complement
  std::uint32_t max_finite = 0;
  int lowest_shift = 0;  // of the significand of a number of the least exponent, to the left
  std::uint32_t limit = 0;
};

inline IntegerReading reading_of(oracle::Format format, const oracle::IntegerForm& form) {
  const oracle::FormatShape shape = oracle::shape(format);
  return {
      .fraction_bits = shape.fraction_bits(),
      .sign_bit = shape.sign_bit(),
      .integer = shape.integer,
      .max_finite = shape.max_finite,
      .lowest_shift = (shape.integer ? 0 : shape.min_exponent - shape.fraction_bits()) - form.unit,
      .limit = static_cast<std::uint32_t>(form.limit)};
}

// False, and value 0, where the element is no such integer.
ASSAY_HOST_DEVICE inline bool read_integer(const IntegerReading& reading, std::uint32_t bits,
                                           std::int32_t& value) {
  constexpr int kMostShift = 31;
  const std::uint32_t low = bits & (reading.sign_bit - 1);
  const bool negative = (bits & reading.sign_bit) != 0;
  const auto field = reading.integer ? 0 : static_cast<int>(low >> reading.fraction_bits);
  const std::uint32_t implicit = std::uint32_t{1} << reading.fraction_bits;
  const std::uint32_t of_integer = negative ? reading.sign_bit - low : low;
  const std::uint32_t significand =
      reading.integer ? of_integer : (low & (implicit - 1)) | (field != 0 ? implicit : 0);
  const int shift = reading.lowest_shift + (field != 0 ? field - 1 : 0);
  const int left = shift < 0 ? 0 : shift < kMostShift ? shift : kMostShift;
  const int right = shift > 0 ? 0 : -shift < kMostShift ? -shift : kMostShift;
  const std::uint32_t whole = significand << left >> right;
  // What a shift pushed out does not come back.
  const bool exact = whole << right >> left == significand;
  const bool good = exact && whole <= reading.limit && low <= reading.max_finite;
  value = good ? static_cast<std::int32_t>(whole) : 0;
  if (negative) { value = -value; }
  return good;
}

// x + y for x, y < p.
ASSAY_HOST_DEVICE inline std::uint64_t add_modulo(std::uint64_t x, std::uint64_t y) {
  const std::uint64_t sum = x + y;
  return sum >= kModulus ? sum - kModulus : sum;
}

// x * 2^bits for x < p: 2^61 is 1. Requires: 0 < bits < 61.
ASSAY_HOST_DEVICE inline std::uint64_t shift_modulo(std::uint64_t x, int bits) {
  return (x << bits & kModulus) | x >> (kResidueBits - bits);
}

ASSAY_HOST_DEVICE inline std::uint64_t modulo(std::int64_t value) {
  const std::int64_t rest = (value & static_cast<std::int64_t>(kModulus)) + (value >> kResidueBits);
  if (rest < 0) { return static_cast<std::uint64_t>(rest) + kModulus; }
  return add_modulo(static_cast<std::uint64_t>(rest), 0);
}

// A residue in pieces whose products with integers up to 2^30 fit 51 bits.
inline constexpr int kLimbs = 3;
inline constexpr int kLimbBits = 21;
struct Limbs {
  std::int32_t limb[kLimbs];
};
ASSAY_HOST_DEVICE inline Limbs limbs_of(std::uint64_t residue) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kLimbBits) - 1;
  return {{static_cast<std::int32_t>(residue & kMask),
           static_cast<std::int32_t>(residue >> kLimbBits & kMask),
           static_cast<std::int32_t>(residue >> (2 * kLimbBits))}};
}

// The sum of at most 2^12 products.
struct LimbSums {
  std::int64_t sum[kLimbs] = {};

  ASSAY_HOST_DEVICE void add(std::int32_t value, const Limbs& residue) {
    for (int i = 0; i < kLimbs; ++i) { sum[i] += std::int64_t{value} * residue.limb[i]; }
  }
  ASSAY_HOST_DEVICE std::uint64_t residue() const {
    std::uint64_t total = modulo(sum[0]);
    for (int i = 1; i < kLimbs; ++i) {
      total = add_modulo(total, shift_modulo(modulo(sum[i]), i * kLimbBits));
    }
    return total;
  }
};

// A sum of residues that needs no order: the halves of up to 2^32 of them, added up apart.
inline constexpr int kHalfBits = 32;
ASSAY_HOST_DEVICE inline std::uint64_t low_half(std::uint64_t residue) {
  return residue & ((std::uint64_t{1} << kHalfBits) - 1);
}
ASSAY_HOST_DEVICE inline std::uint64_t high_half(std::uint64_t residue) {
  return residue >> kHalfBits;
}
inline std::uint64_t join_halves(std::uint64_t low, std::uint64_t high) {
  return add_modulo(low % kModulus, shift_modulo(high % kModulus, kHalfBits));
}

}  // namespace assay
