// Negative, decreasing or oversized offsets and sizes are refused, flagged or at least memory-safe,
// as declared.
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
  spec.pad = 1;
  spec.acc = 0;
}

// For a second array: counts of rows, or (M, N, K). By one and zero, too, which sizes may not be
// where others are right.
void corrupt_size(std::vector<Index>& sizes, std::uint64_t seed, Index rows) {
  Index& size = sizes[seed % sizes.size()];
  const std::array<Index, 8> bad = {-1,
                                    0,
                                    size - 1,
                                    size + 1,
                                    rows + 1,
                                    2 * rows + 7,
                                    std::numeric_limits<std::int32_t>::max(),
                                    std::numeric_limits<std::int32_t>::min()};
  size = bad[seed / sizes.size() % bad.size()];
}

void corrupt_value(std::vector<Index>& values, std::uint64_t seed, Index rows) {
  const std::size_t at = seed % values.size();
  const Index a_step_back = (at > 0 ? values[at - 1] : 0) - 1;
  const std::array<Index, 6> bad = {-1,
                                    rows + 1,
                                    std::numeric_limits<std::int32_t>::max(),
                                    std::numeric_limits<std::int32_t>::min(),
                                    2 * rows + 7,
                                    a_step_back};
  values[at] = bad[seed / 3 % bad.size()];
}

// Puts one bad number where the convention cannot allow it and says so, as `offsets corrupted to
// [0,-1] (offsets[1] = -1 is negative)`; nothing where they stay valid.
std::optional<std::string> corrupt(Problem& problem) {
  OffsetArrays& arrays = problem.offsets;
  if (arrays.values.empty()) { return std::nullopt; }
  const Index rows = problem.layout.physical_rows;
  const std::uint64_t seed = problem.spec.seed;
  const ConventionTraits& row = traits(arrays.kind.convention);
  // Pointers stay: no kernel can tell where they may lead.
  const bool of_sizes = row.by_pointers || (row.has_sizes() && seed / 18 % 2 == 1);
  std::vector<Index>& corrupted = of_sizes ? arrays.sizes : arrays.values;
  of_sizes ? corrupt_size(corrupted, seed, rows) : corrupt_value(corrupted, seed, rows);
  const Status valid = validate_offsets(arrays, frame_of(problem.spec));
  if (valid) { return std::nullopt; }
  return fmt::format("{} corrupted to [{}] ({})", of_sizes ? "sizes" : "offsets",
                     fmt::join(corrupted, ","), valid.error().message);
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  // The sound case first: what it cannot do soundly says nothing about unsound offsets.
  Verdict verdict = judge_case_whole(kernel, spec);
  if (!nothing_wrong(verdict)) { return verdict; }
  Problem problem = problem_for(spec, manifest);
  const std::optional<std::string> corrupted = corrupt(problem);
  if (!corrupted) { return verdict; }
  const Outcome outcome = kernel.run(problem, {});
  ++verdict.runs;
  const std::string& told = *corrupted;
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
          "Negative, decreasing or oversized offsets and sizes are refused, flagged or at least "
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
