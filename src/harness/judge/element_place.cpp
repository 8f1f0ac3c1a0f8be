#include "src/harness/judge/element_place.h"

#include <algorithm>

namespace assay {

ElementPlace place_in_output(const Problem& problem, Index element) {
  const DenseOperand& output = problem.output();
  const Index row = element / output.cols;
  ElementPlace place{.col = element % output.cols};
  if (output_role(problem.spec.pass) == Role::kW) {
    const Index expert_rows = output.rows / problem.spec.experts();
    place.expert = row / expert_rows;
    place.row = row % expert_rows;
    return place;
  }
  // The last expert that starts at or before the row: those before it with the same start are
  // empty.
  const auto& starts = problem.dense_starts;
  const auto after = std::upper_bound(starts.begin(), starts.end() - 1, row);
  place.expert = after - starts.begin() - 1;
  place.row = row - starts[place.expert];
  return place;
}

}  // namespace assay
