// The only place where error bounds come from: how far a kernel's result may lie from the exact
// value y before it is rounded to the output format, given the declared arithmetic. With
// S = sum |a||b| (+ |c|) of one element, E = slope * S + floor, rounded upwards.
//
// K terms (C counts as one), s partial sums, u = 2^-24:
//   fp32 multiply-adds   K u S, fused or not, in any order       (Jeannerod and Rump 2013)
//   matrix steps         d / (1 - d) S, d = K 2^-F + T 2^-out, T <= ceil(K/L) + s - 1 steps, in any
//                        order: each step cuts at most L terms and the accumulator at
//                        2^(emax - F) and its sum at 2^-out, relative to a prefix of S.
//   promotion every P    d of P terms instead of K, and ceil(K/P) sums are added in fp32:
//                        d / (1 - d) S + ceil(K/P) u (1 + d / (1 - d)) S, with one more where C is
//                        added and s - 1 more for splits that end within an interval.
//   int32 sums           g / (1 - g) S, g = R u: R sums between borders of scales and promotions,
//                        each rounded once, and R - 1 additions in fp32, or R of them with C.
//   splits, or C added   + s u (S + E)
//   partials in format t + s u_t (1 + u_t) (S + E) + s quantum_t; covers storing and accumulating
//   underflow            + (K + T) eta, eta = 2^-149, or 2^-126 where subnormals are flushed
//   subnormal operands   A matrix step aligns by the exponents of its operands, and a subnormal one
//                        has the smallest normal exponent: its product counts in S as if it were
//                        that large. The same term covers kernels that flush such operands.
//   scales               + 4 u (S + E): a product meets at most three roundings of its scales, in
//                        whatever order they are multiplied in, and one more for each operand with
//                        a tensor's scale. Products of scales, and of a scale and a code or a sum,
//                        may underflow: + K eta (1 + largest factors).
//   scale of the output  E of the sum without it, times the scale, + 2 u (S + E) + eta: it may be
//                        multiplied into another scale first, or last.
//   calls that add       E of a call also carries the rounding of the output that it starts from.
// Undeclared arithmetic is taken to be the coarsest known step for the operands' formats with
// s = 64; 16-bit ones hold an integer of 8 bits. A bound that the arithmetic does not give (d >= 1)
// is as good as infinite.
#pragma once

#include "oracle/model/arithmetic.h"
#include "oracle/operand.h"
#include "oracle/product.h"

namespace assay::oracle {

struct ErrorBound {
  double slope = 0;
  double floor = 0;
  double overflow_from = 0;  // from this S on, the arithmetic may overflow on the way

  // E of an element with gauge S >= 0. Monotone in S.
  double at(double gauge) const {
    constexpr double kUpwards = 1 + 0x1p-51;  // outweighs the three roundings
    return (slope * gauge + floor) * kUpwards;
  }
};

// What the bound depends on besides the arithmetic.
struct Reduction {
  Index length = 0;  // k
  Format a = Format::kBf16, b = Format::kBf16;
  Format out = Format::kBf16;
  bool accumulates = false;  // into c, or over several calls
  int times = 1;
  bool scaled = false;      // an operand has scales
  int tensor_scales = 0;    // operands that have a tensor's beside them
  bool out_scaled = false;  // S counts this factor, too
  double out_factor = 1;
  Index sums = 1;  // between borders of scales and promotions, each scaled by itself
  OperandRange a_range{}, b_range{};
};
Reduction reduction_of(const Product& product, const Arithmetic& arithmetic, const OperandRange& a,
                       const OperandRange& b);

ErrorBound error_bound(const Arithmetic& arithmetic, const Reduction& reduction);
// Inputs whose every sum is exact: the output is the exact result rounded once.
ErrorBound exact_bound(const Arithmetic& arithmetic, const Reduction& reduction);

}  // namespace assay::oracle
