// Bit-level model of a declared arithmetic: predicts the output bits of a kernel on real data.
// Source: step model of NVIDIA matrix instructions (Fasi et al. 2021; MMA-Sim, arXiv 2511.10909).
//
// fp32: acc = fma(a, b, acc), or acc = acc + a * b where not fused, in ascending k.
// Step: L exact products and the accumulator are aligned to the largest exponent among them, each
// cut toward zero to F fraction bits, added exactly, and the sum cut toward zero to `out` fraction
// bits (at the bottom of the fp32 range to the grid of its subnormals). A product's exponent is
// the sum of its operands'; a subnormal operand has the smallest normal exponent of its format;
// products that are zero do not align. The tail of k is filled up with zero products.
// int32: the products of integers are added exactly, modulo 2^32, and the sum is rounded to fp32;
// what follows is done in fp32, and acc = C + sum.
// With a promotion interval each interval's steps start from zero, and acc = acc + sum in fp32.
// Scales: with Scaling::kOperands every code times its scale is rounded to fp32 first. With kSums a
// sum of codes starts from zero at each border of a scale's block and of a promotion interval
// (promoted_interval), and acc = fma(sum, fl(scale_a * scale_b), acc) in fp32, or with
// kSumsOneByOne fma(fl(sum * scale_a), scale_b, acc). Where a tensor has a scale, acc begins with
// zero, and is added to C in the same way at the end. With kEnd the sum of codes from zero is
// multiplied by scale_a, then by scale_b, and added to C.
// C is the first value of the accumulator; the last one, times the scale of the output in fp32, is
// rounded to nearest to the output format.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracle/model/arithmetic.h"
#include "oracle/product.h"

namespace assay::oracle {

// Requires: is_predictable(arithmetic, product). Writes got-format elements row-major into out;
// got.data is not read. A non-finite operand or intermediate yields the format's NaN or infinity as
// IEEE 754 orders it; NaN payloads are not predicted (compare any NaN with any NaN). product.times
// calls are made one after another, each from the rounded output.
void predict(const Product& product, const Arithmetic& arithmetic, void* out, int threads = 1);

// Whether the arithmetic foretells every bit, of a product with scales too.
bool is_predictable(const Arithmetic& arithmetic);
bool is_predictable(const Arithmetic& arithmetic, const Product& product);

// Products between two promotions of scaled sums: the largest number that divides the declared
// interval and the blocks of both operands along the reduction.
Index promoted_interval(const Product& product, const Arithmetic& arithmetic);

struct BitComparison {
  Index elements = 0;
  // +0 and -0 differ, any NaN equals any NaN. Where results are flushed a zero of either sign is
  // also right for one whose size is that of the smallest normal number or below.
  Index different = 0;
  Index product = 0, row = 0, col = 0;  // the first difference
  std::uint32_t got_bits = 0, model_bits = 0;
};
// One byte an element of got, row-major: 1 where the bits differ.
std::vector<std::uint8_t> different_bits(const Product& product, const Arithmetic& arithmetic);
BitComparison compare_with_model(std::span<const Product> products, const Arithmetic& arithmetic,
                                 int threads = 1);

}  // namespace assay::oracle
