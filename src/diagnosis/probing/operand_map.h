// OperandMap: of each element of a kernel's output, which row and which column it was multiplied
// from. A product is bilinear: run with one factor clear but for a line of ones and the other one
// coded, each output is the code of where it was read.
#pragma once

#include <optional>
#include <vector>

#include "src/harness/call/session.h"
#include "src/problem/problem.h"

namespace assay {

inline constexpr Index kMostProbedProducts = Index{1} << 20;  // of a case that is run again

// A line of a factor (a row of a, a column of b) or an element of C.
struct Source {
  enum class Kind : std::uint8_t {
    kLine,
    kNothing,    // zero: nothing was multiplied
    kUnwritten,  // as it was before the call
    kMixed       // no code of one line: several together, or other memory
  };
  Kind kind = Kind::kMixed;
  Index expert = 0, line = 0;

  friend bool operator==(const Source&, const Source&) = default;
};

// Elements product after product, row-major in each, as Evidence numbers them.
struct OperandMap {
  Problem problem;                                   // its shape; operands as the case has them
  std::vector<Index> first_element;                  // of each product, and the total
  std::vector<Index> rows, cols;                     // of each product
  std::vector<Source> row_of_a, col_of_b;            // in the first product of the reduction
  std::vector<Source> last_row_of_a, last_col_of_b;  // in the last one
  std::vector<Source> old_value;  // of C, by its element; empty where the case does not accumulate
  // Experts whose products stand in another's output: leaks[g] holds those found in expert g's.
  std::vector<std::vector<Index>> leaks;
  Index runs = 0;

  Index element(Index expert, Index row, Index col) const {
    return first_element[static_cast<std::size_t>(expert)] +
           row * cols[static_cast<std::size_t>(expert)] + col;
  }
};

// Nothing where a run did not end well or the case is too large. At most kMostProbes runs.
inline constexpr Index kMostProbes = 32;
std::optional<OperandMap> map_operands(Session& kernel, const CaseSpec& spec);

}  // namespace assay
