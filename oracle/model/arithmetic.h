// Arithmetic: the declared way in which a kernel multiplies and adds, as far as its error bound and
// its bits depend on it. One matrix instruction adds L products with F fraction bits into a sum of
// `out` bits, or products of integers into one of 32 bits.
#pragma once

#include <cstdint>

#include "oracle/format.h"

namespace assay::oracle {

enum class Conversion : std::uint8_t { kNone, kTf32Rz, kTf32Rna, kBf16 };

// The formats whose subnormals become zero: of operands as they are read, of results as they are
// written. fp32 among the outputs flushes the fp32 sums on the way, too.
struct Flushing {
  std::uint8_t inputs = 0, outputs = 0;  // a bit each

  static constexpr std::uint8_t bit(Format format) {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(format));
  }
  constexpr bool input(Format format) const { return (inputs & bit(format)) != 0; }
  constexpr bool output(Format format) const { return (outputs & bit(format)) != 0; }
  constexpr bool sums() const { return output(Format::kFp32); }
};
// Operands of 16 bits and more: no instruction flushes codes of 8. Results of fp32's range of
// exponents.
inline constexpr Flushing kFtz{
    .inputs = static_cast<std::uint8_t>(
        Flushing::bit(Format::kFp32) | Flushing::bit(Format::kBf16) | Flushing::bit(Format::kFp16)),
    .outputs =
        static_cast<std::uint8_t>(Flushing::bit(Format::kFp32) | Flushing::bit(Format::kBf16))};

// Where scales are multiplied in: undeclared, each code before its product (rounded to fp32), or
// each block's partial sum, as acc = fma(sum, fl(scale_a * scale_b), acc), or the whole sum at its
// end, as (sum * scale_a) * scale_b, or each partial sum by one scale after the other, as
// acc = fma(fl(sum * scale_a), scale_b, acc). A tensor's scale is one more factor of its operand's
// codes, or multiplies acc, which began with zero, as blocks' scales multiply sums.
enum class Scaling : std::uint8_t { kUndeclared, kOperands, kSums, kEnd, kSumsOneByOne };
constexpr bool scales_each_sum(Scaling scaling) {
  return scaling == Scaling::kSums || scaling == Scaling::kSumsOneByOne;
}

// When a bias is added: as C is, or in fp32 to the whole sum.
enum class BiasAdded : std::uint8_t { kUndeclared, kFirst, kLast };

struct Arithmetic {
  enum class Kind : std::uint8_t { kUndeclared, kFp32, kStep, kInt32 };
  Kind kind = Kind::kUndeclared;
  int products_per_step = 1;   // L  (Hopper wgmma bf16: 16, Ampere mma: 8)
  int fraction_bits = 23;      // F  (25, 24)
  int out_bits = 23;           // out
  bool fused = true;           // kFp32: explicit fma; bits only, the bound holds for both
  bool ascending = false;      // k ascending and one chain: bits are predictable
  int promotion_interval = 0;  // kStep: products whose sum is added to fp32; 0: all of them
  int splits = 1;              // partial sums, at most
  Format partials = Format::kFp32;
  Flushing subnormals{};
  bool saturates = false;
  Conversion conversion = Conversion::kNone;
  Scaling scaling = Scaling::kUndeclared;
  BiasAdded bias_added = BiasAdded::kUndeclared;
};

inline constexpr Arithmetic kFp32Fma{.kind = Arithmetic::Kind::kFp32, .ascending = true};
// Of two integer operands alone: no order changes a sum.
inline constexpr Arithmetic kInt32Sums{.kind = Arithmetic::Kind::kInt32};
inline constexpr Arithmetic kHopperWgmma{.kind = Arithmetic::Kind::kStep,
                                         .products_per_step = 16,
                                         .fraction_bits = 25,
                                         .out_bits = 23,
                                         .ascending = true};
inline constexpr Arithmetic kAmpereMma{.kind = Arithmetic::Kind::kStep,
                                       .products_per_step = 8,
                                       .fraction_bits = 24,
                                       .out_bits = 23,
                                       .ascending = true};

}  // namespace assay::oracle
