// Negative, decreasing or oversized offsets are refused, flagged or at least memory-safe, as
// declared.
#include <array>
#include <limits>

#include <fmt/format.h>

#include "properties/support/case_run.h"
#include "src/problem/convention.h"

namespace assay {
namespace {

std::optional<std::string> not_applicable(const Manifest& manifest) {
  if (manifest.invalid_offsets != InvalidOffsets::kUndefined) { return std::nullopt; }
  return "the manifest promises nothing about invalid offsets";
}

void prepare(CaseSpec& spec, const Manifest&) {
  if (traits(spec.offsets.convention).by_pointers) { spec.offsets = spec.told = {}; }
  spec.pad = 1;
  spec.acc = 0;
}

// Puts one bad number where the convention cannot allow it; returns false when it stays valid.
bool corrupt(Problem& problem) {
  std::vector<Index>& values = problem.offsets.values;
  if (values.empty()) { return false; }
  const Index rows = problem.layout.physical_rows;
  const std::uint64_t seed = problem.spec.seed;
  const std::size_t at = seed % values.size();
  const Index a_step_back = (at > 0 ? values[at - 1] : 0) - 1;
  const std::array<Index, 6> bad = {-1,
                                    rows + 1,
                                    std::numeric_limits<std::int32_t>::max(),
                                    std::numeric_limits<std::int32_t>::min(),
                                    2 * rows + 7,
                                    a_step_back};
  values[at] = bad[seed / 3 % bad.size()];
  return !validate_offsets(problem.offsets, frame_of(problem.spec));
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  // The sound case first: what it cannot do soundly says nothing about unsound offsets.
  Verdict verdict = judge_case_whole(kernel, spec);
  if (!nothing_wrong(verdict)) { return verdict; }
  Problem problem = problem_for(spec, manifest);
  if (!corrupt(problem)) { return verdict; }
  const Outcome outcome = kernel.run(problem, {});
  ++verdict.runs;
  const std::string told =
      fmt::format("offsets corrupted to [{}]", fmt::join(problem.offsets.values, ","));
  if (!has_ended(outcome.status)) {
    judge_unended(verdict, outcome);
    say_where(verdict, told + ": ");
    return verdict;
  }
  if (!outcome.leftover.empty()) {
    fail(verdict, Aspect::kLeftover, told + ": " + outcome.leftover);
  }
  const bool refused =
      outcome.status == RunStatus::kUnsupported || outcome.status == RunStatus::kError;
  if (manifest.invalid_offsets == InvalidOffsets::kRefused && !refused) {
    fail(verdict, Aspect::kStatus, told + " were not refused");
  }
  if (manifest.invalid_offsets == InvalidOffsets::kFlagged && !refused &&
      outcome.status_word == 0) {
    fail(verdict, Aspect::kStatus, told + " did not set the status word");
  }
  for (const MemoryFault& fault : outcome.faults) {
    // Which rows are tail or padding is what the offsets got wrong: only the rest must hold.
    if (fault.where == MemoryFault::Where::kTailRow ||
        fault.where == MemoryFault::Where::kPaddingRow) {
      continue;
    }
    fail(verdict, aspect_of(fault), told + ": " + describe(fault));
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 83, .quick = 30, .ci = 144, .peers = 96, .full = 480},
    {.generator = "conventions", .seed = 84, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "many_experts", .seed = 125, .peers = 14, .full = 72},
};

}  // namespace

Check invalid_offsets_do_what_the_manifest_says() {
  return {
      .name = "invalid_offsets_do_what_the_manifest_says",
      .summary =
          "Negative, decreasing or oversized offsets are refused, flagged or at least "
          "memory-safe, as declared.",
      .guards_against = "offsets passed where sizes are wanted, -1 used as an index (kinds F, K)",
      .advice =
          "Invalid offsets were not refused, flagged or kept memory-safe as declared. Validate "
          "on the device before the first load, or declare invalid_offsets undefined.",
      .order = 240,
      .draws = kDraws,
      .not_applicable = not_applicable,
      .prepare = prepare,
      .run = run};
}

}  // namespace assay
