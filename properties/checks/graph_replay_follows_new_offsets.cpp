// A captured graph replayed with other offsets and data gives their answers.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "properties/generators/fit.h"
#include "properties/support/case_run.h"
#include "src/problem/convention.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  use_plain_execution(spec, manifest);
  // The same rows in all, however they are shared out.
  spec.pad = 1;
  make_rows_whole(spec, manifest);
  if (traits(spec.offsets.convention).has_buffers) {
    spec.cap = std::max<Index>(1, *std::ranges::max_element(spec.rows));
  }
}

// The same memory, told otherwise: another order, all rows to one expert, no rows at all.
std::vector<CaseSpec> other_routings(const CaseSpec& spec) {
  std::vector<CaseSpec> others(3, spec);
  for (std::size_t i = 0; i < others.size(); ++i) { others[i].seed = spec.seed + 1 + i; }
  std::rotate(others[0].rows.begin(), others[0].rows.begin() + 1, others[0].rows.end());
  const bool movable = !traits(spec.offsets.convention).has_buffers;
  if (!movable) {
    std::ranges::reverse(others[1].rows);
    std::ranges::fill(others[2].rows, 0);
    return others;
  }
  std::ranges::fill(others[1].rows, 0);
  others[1].rows[spec.seed % spec.rows.size()] = total_rows(spec);
  std::ranges::fill(others[2].rows, 0);
  others[2].tail = spec.tail + total_rows(spec);
  return others;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem first = problem_for(spec, manifest);
  CaseRun plain = run_and_judge(kernel, first);
  Verdict& verdict = plain.verdict;
  if (!nothing_wrong(verdict)) { return verdict; }
  const Outcome captured = kernel.run(first, {.launch = Launch::kGraph});
  if (!accept_outcome(verdict, first, manifest, captured, &plain)) { return verdict; }
  const Index elements = verdict.elements;
  const VerdictKind of_first = verdict.kind;
  const std::string reason = verdict.reason;
  for (const CaseSpec& other : other_routings(spec)) {
    const Problem problem = problem_for(other, manifest);
    const Outcome replayed = kernel.run(problem, {.launch = Launch::kReplay});
    if (accept_status(verdict, problem, manifest, replayed)) {
      judge_numbers(verdict, problem, manifest, replayed.output);
    }
    // A routing of which a trivial answer is right proves little and is no reason to stop.
    if (verdict.kind == VerdictKind::kInconclusive) { verdict.kind = VerdictKind::kPassed; }
    if (verdict.kind == VerdictKind::kPassed) { continue; }
    say_where(verdict,
              fmt::format("the graph replayed with rows={}: ", fmt::join(other.rows, ",")));
    verdict.inner = other;
    return verdict;
  }
  verdict.kind = of_first;
  verdict.reason = reason;
  verdict.elements = elements;  // the last routing may have had none
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 96, .quick = 4, .ci = 19, .peers = 13, .full = 64},
};

}  // namespace

Check graph_replay_follows_new_offsets() {
  return {
      .name = "graph_replay_follows_new_offsets",
      .summary = "A captured graph replayed with other offsets and data gives their answers.",
      .guards_against = "semaphores and descriptors that are stale on replay (kind Q)",
      .advice =
          "A captured graph replayed with new offsets used the old ones. Something is read on the "
          "host while capturing; read offsets on the device, or do not declare graph_capturable.",
      .order = 310,
      .draws = kDraws,
      .not_applicable = needs_graphs,
      .prepare = prepare,
      .run = run};
}

}  // namespace assay
