// Judging a kernel's output: every element by interval rounding, RN(y - E) <= got <= RN(y + E), with y exact and E from
// the declared arithmetic; no other tolerance. judge_exact is the truth, judge_fast must agree with it always.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "oracle/arithmetic.h"
#include "oracle/product.h"

namespace assay::oracle {

// Trivial wrong answers made from the exact result; a rule that accepts one proves nothing on this case.
enum class Trivial : std::uint8_t { kZeros, kRowsRotated, kScaled, kPrevious };
inline constexpr int kTrivialCount = 4;
std::string_view name(Trivial trivial);

struct Witness {
  Index product = 0, row = 0, col = 0;
  std::uint32_t got_bits = 0;
  std::uint32_t exact_bits = 0;  // RN of the exact value to the output format
  double exact = 0;              // nearest double of the exact value
  double bound = 0;              // E
  double ratio = 0;              // distance from y to the reals that round to got, over E; wrong when above 1
  double gauge = 0;              // |got - y| / (2^-24 S)
};

struct Judgement {
  Index elements = 0;
  Index wrong = 0;
  Index escalated = 0;  // elements that the enclosure left to the exact oracle
  Witness worst;        // of all elements, right ones included
  double worst_ratio = 0;
  // Of each trivial answer: elements where it differs from the exact result, and whether the rule accepted all of it.
  std::array<Index, kTrivialCount> trivial_differs{};
  std::array<bool, kTrivialCount> trivial_accepted{};
  bool overflowing = false;  // S >= 2^127 somewhere: the case proves nothing

  bool mistrusted() const;
};

struct JudgeOptions {
  bool exact_input = false;      // E = 0: the output must be the exact result rounded once
  bool skip_zeros_and_scaled = false;  // cancelling and special fills
  bool skip_trivial = false;
  int threads = 1;
  std::vector<std::uint8_t>* wrong_map = nullptr;  // one byte an element, products one after another, row-major
};

Judgement judge_exact(std::span<const Product> products, const Arithmetic& arithmetic, const JudgeOptions& options);
Judgement judge_fast(std::span<const Product> products, const Arithmetic& arithmetic, const JudgeOptions& options);

// RN of the exact result of every element, row-major, elements of got.format: what a perfect kernel writes.
void exact_result(const Product& product, void* out);

}  // namespace assay::oracle
