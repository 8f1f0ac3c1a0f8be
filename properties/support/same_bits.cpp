#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "properties/support/case_run.h"

namespace assay {

bool require_same_bits(Verdict& verdict, const Problem& problem,
                       const std::vector<std::byte>& first, const std::vector<std::byte>& second,
                       const std::string& what, Aspect aspect) {
  const DenseOperand& output = problem.output();
  const Index element_bytes = size_bytes(output.format);
  if (same_bytes(first, second)) { return true; }
  const Index elements = static_cast<Index>(std::min(first.size(), second.size())) / element_bytes;
  for (Index element = 0; element < elements; ++element) {
    const std::uint32_t a = load_bits(output.format, first.data() + element * element_bytes);
    const std::uint32_t b = load_bits(output.format, second.data() + element * element_bytes);
    const double a_value = decode(output.format, a);
    const double b_value = decode(output.format, b);
    // Payloads of NaN are nobody's contract.
    if (a == b || (a_value != a_value && b_value != b_value)) { continue; }
    const Index row = element / output.cols;
    Index expert = 0;
    Index first_row = 0;
    if (reduces_rows(problem.spec.pass)) {
      const Index rows = output.rows / problem.spec.experts();
      expert = row / rows;
      first_row = expert * rows;
    } else {
      while (problem.dense_starts[expert + 1] <= row) { ++expert; }
      first_row = problem.dense_starts[expert];
    }
    // An element that is known to be wrong says more, and holds the exact value.
    if (!nothing_wrong(verdict)) { return false; }
    fail(verdict, aspect, fmt::format("{} gives other bits: {:#x} and {:#x}", what, a, b));
    verdict.worst = Entry{.expert = expert,
                          .row = row - first_row,
                          .col = element % output.cols,
                          .got_bits = b,
                          .exact_bits = a,
                          .got = b_value,
                          .exact = a_value};
    return false;
  }
  if (first.size() != second.size()) {
    fail(verdict, aspect, what + " gives another number of elements");
    return false;
  }
  return true;
}

bool same_case_repeats_bits(const Manifest& manifest, const CaseSpec& spec) {
  return is_exact(spec.fill) || manifest.deterministic;
}

bool rows_repeat_bits(const Manifest& manifest, const CaseSpec& spec) {
  if (is_exact(spec.fill)) { return true; }
  return !reduces_rows(spec.pass) && manifest.deterministic && manifest.batch_invariant;
}

}  // namespace assay
