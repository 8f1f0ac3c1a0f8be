// A hundred calls on many experts end, and all write the same bits.
#include <algorithm>
#include <iterator>

#include "properties/generators/draw.h"
#include "properties/generators/fit.h"
#include "properties/support/case_run.h"

namespace assay {
namespace {

constexpr Index kCalls = 100;

// As many experts as models have, with rows for some; exact data, so that any order of summation
// gives the same bits.
void enumerate(CaseSpec& spec, const Manifest& manifest, Index index) {
  constexpr Index kExperts[] = {64, 128, 256};
  use_plain_execution(spec, manifest);
  set_nth_pass(spec, manifest, index);
  spec.acc = 0;
  spec.fill = Fill::kIntegers;
  spec.rows.assign(kExperts[index % std::ssize(kExperts)], 0);
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    spec.rows[expert] = static_cast<Index>((spec.seed + 7 * expert) % 5);
  }
  spec.k = std::min<Index>(spec.k, 32);
  spec.n = std::min<Index>(spec.n, 32);
  fit_widths(spec, manifest);
  if (spec.cap > 0) { spec.cap = 4; }
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun judged = run_and_judge(kernel, problem);
  Verdict& verdict = judged.verdict;
  for (Index call = 0; call < kCalls && verdict.kind == VerdictKind::kPassed; ++call) {
    const Outcome again = kernel.run(problem, {.keep_arena = true});
    if (!accept_status(verdict, problem, manifest, again)) { break; }
    if (same_bytes(again.output, judged.low.output)) { continue; }
    // Which elements, and by how much, is what a judgement says.
    judge_numbers(verdict, problem, manifest, again.output);
    require_same_bits(verdict, problem, judged.low.output, again.output, "one of a hundred calls");
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 136, .quick = 1, .ci = 6, .peers = 3, .full = 24},
};

}  // namespace

Check repeated_calls_of_many_experts_agree() {
  return {.name = "repeated_calls_of_many_experts_agree",
          .summary = "A hundred calls on many experts end, and all write the same bits.",
          .guards_against = "races that one call in many loses (kinds N, O, S)",
          .advice =
              "The same call came out differently, or not at all, once in a hundred. Look for work "
              "that is not ordered: a descriptor, a semaphore or a shared buffer reused too early.",
          .order = 405,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = nullptr,
          .run = run,
          .enumerate = enumerate};
}

}  // namespace assay
