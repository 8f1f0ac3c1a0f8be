// Formula: a number that a manifest gives as an expression of the call, as
// "256 + 4 * ceil(rows, tile_m) * experts". Whole numbers, the names below, + - * / %, brackets,
// and min(a, b), max(a, b), ceil(a, b), which is a / b rounded up, and align(a, b), which is the
// next multiple of b.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/core/error.h"
#include "src/core/index.h"
#include "src/problem/case_spec.h"

namespace assay {

// What a formula may name. tile_m, tile_n, tile_k: of the call's tactic, 1 where none is declared.
struct FormulaValues {
  Index rows = 0, experts = 0, k = 0, n = 0;  // rows: physical ones
  Index in_bytes = 0, out_bytes = 0;          // of an element
  Index tile_m = 1, tile_n = 1, tile_k = 1;
};

class Formula {
 public:
  // Errors: one line that quotes the word that does not fit, and says what is allowed there.
  static Result<Formula> parse(std::string_view text);

  // Never below 0, at most 2^62; a division by zero gives 0.
  Index value(const FormulaValues& values) const;
  const std::string& text() const { return text_; }
  friend bool operator==(const Formula&, const Formula&) = default;

 private:
  friend class FormulaParser;
  // In postfix order: a name, a number, or what is done with the two values before it.
  struct Step {
    enum class Kind : std::uint8_t { kNumber, kName, kOperator } kind = Kind::kNumber;
    Index number = 0;  // the number, the name's or the operator's place in its list
    friend bool operator==(const Step&, const Step&) = default;
  };
  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace assay
