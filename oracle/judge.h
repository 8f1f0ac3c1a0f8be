// Judging a kernel's output: every element by interval rounding, RN(y - E) <= got <= RN(y + E),
// with y exact and E from the declared arithmetic (error_bound.h); no other tolerance.
// judge_exact is the truth, judge_fast agrees with it always.
//
// +0 and -0 are alike, and so is every NaN. A result that is infinite or NaN in exact extended
// arithmetic must be just that; an infinity stands for a finite result where y + E reaches the
// rounding threshold, and NaN only where the exact result is NaN.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "oracle/model/arithmetic.h"
#include "oracle/product.h"

namespace assay::oracle {

// Trivial wrong answers made from the exact result; a rule that accepts one proves nothing on this
// case. Rotated: row r holds the exact result of the row before, within the product. Previous:
// takes part in the products that have one.
enum class Trivial : std::uint8_t { kZeros, kRowsRotated, kScaled, kPrevious };
inline constexpr int kTrivialCount = 4;
std::string_view name(Trivial trivial);

struct Witness {
  Index product = 0, row = 0, col = 0;
  std::uint32_t got_bits = 0;
  std::uint32_t exact_bits = 0;  // RN of the exact value to the output format
  double exact = 0;              // nearest double of the exact value
  double bound = 0;              // E
  double ratio = 0;  // distance from y to the reals that round to got, over E; wrong when above 1
  double gauge = 0;  // |got - y| / (2^-24 S)
};

struct Judgement {
  Index elements = 0;
  Index wrong = 0;
  Index escalated = 0;  // elements that the enclosure left to the exact oracle
  Witness worst;        // of all elements, right ones included
  double worst_ratio = 0;
  // Of each trivial answer: elements where it differs from the exact result, and whether the rule
  // accepted all of it.
  std::array<Index, kTrivialCount> trivial_differs{};
  std::array<bool, kTrivialCount> trivial_accepted{};
  bool overflowing = false;  // S reaches the range of the accumulator: the case proves nothing

  // Overflowing, or some trivial answer differs from the exact result and is accepted all the same.
  bool inconclusive() const;
};

struct JudgeOptions {
  bool exact_input = false;            // E = 0: the output must be the exact result rounded once
  bool skip_zeros_and_scaled = false;  // cancelling and special fills
  bool skip_trivial = false;
  int threads = 1;
  // One byte an element, products one after another, row-major: 1 where it is wrong.
  std::vector<std::uint8_t>* wrong_map = nullptr;
};

Judgement judge_exact(std::span<const Product> products, const Arithmetic& arithmetic,
                      const JudgeOptions& options);
Judgement judge_fast(std::span<const Product> products, const Arithmetic& arithmetic,
                     const JudgeOptions& options);

// RN of the exact result of every element, row-major, elements of got.format: what a perfect kernel
// writes. Needs no got.data; its shape is a.rows x b.cols.
void exact_result(const Product& product, void* out);

}  // namespace assay::oracle
