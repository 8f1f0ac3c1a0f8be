// Rows appended after the last expert change no result.
#include <algorithm>
#include <numeric>

#include "properties/support/relation.h"
#include "src/problem/convention.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) {
  if (traits(spec.offsets.convention).has_buffers) {
    spec.offsets = spec.told = {};
    spec.cap = 0;
  }
  spec.tail = 0;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun without = run_and_judge(kernel, problem);
  Verdict& verdict = without.verdict;
  if (!nothing_wrong(verdict)) { return verdict; }
  CaseSpec longer = spec;
  const Index unit = std::lcm(manifest.row_multiple, manifest.total_rows_multiple);
  longer.tail = spec.tail + unit * static_cast<Index>(1 + spec.seed % 200);
  if (manifest.max_rows > 0) {
    // A case that leaves no room is refused with one unit more.
    const Index room = manifest.max_rows - lay_out_rows(spec).physical_rows;
    longer.tail = std::min(longer.tail, spec.tail + std::max(unit, room / unit * unit));
  }
  const Problem with_tail = relaid(problem, longer);
  const Outcome outcome = kernel.run(with_tail, {.placement = Placement::kHigh, .poison = 1});
  if (!accept_outcome(verdict, with_tail, manifest, outcome, &without)) {
    verdict.inner = longer;
    return verdict;
  }
  if (same_case_repeats_bits(manifest, spec) && (is_exact(spec.fill) || manifest.batch_invariant)) {
    require_same_bits(verdict, problem, without.low.output, outcome.output, "a longer tail",
                      Aspect::kRelation);
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 74, .quick = 25, .ci = 120, .peers = 80, .full = 400},
    {.generator = "conventions", .seed = 75, .quick = 10, .ci = 48, .peers = 32, .full = 160},
    {.generator = "scaled", .seed = 154, .quick = 6, .ci = 18, .peers = 9, .full = 72},
};

}  // namespace

Check tail_rows_change_nothing() {
  return {.name = "tail_rows_change_nothing",
          .summary = "Rows appended after the last expert change no result.",
          .guards_against =
              "rows past the last offset contracted into dW or computed into the last "
              "expert (kinds D, E)",
          .advice =
              "Rows past the last end reached a result. The last expert's last tile reads or "
              "contracts them; mask by the end offset, not by the number of rows of the tensor.",
          .order = 190,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = run};
}

}  // namespace assay
