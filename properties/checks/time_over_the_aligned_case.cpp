// Measures the time of a misaligned case over that of the same case aligned.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) {
  for (const Role role : kAllRoles) { spec.base[role] = size_bytes(format_of(spec, role)); }
  spec.ld = {1, 1, 1};
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  Verdict verdict = judge_case_whole(kernel, spec);
  if (verdict.kind != VerdictKind::kPassed) { return verdict; }
  CaseSpec aligned = spec;
  aligned.base = {};
  aligned.ld = {};
  const double misaligned_seconds = best_seconds(kernel, problem_for(spec, manifest), verdict);
  if (verdict.kind != VerdictKind::kPassed) { return verdict; }
  const double aligned_seconds = best_seconds(kernel, problem_for(aligned, manifest), verdict);
  if (verdict.kind != VerdictKind::kPassed) {
    say_where(verdict, "the same case aligned: ");
    return verdict;
  }
  measure_ratio(verdict, misaligned_seconds, aligned_seconds);
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "tile_borders", .seed = 115, .quick = 2, .ci = 9, .peers = 6, .full = 32},
};

}  // namespace

Check time_over_the_aligned_case() {
  return {
      .name = "time_over_the_aligned_case",
      .summary = "Measures the time of a misaligned case over that of the same case aligned.",
      .guards_against = "unaligned shapes that fall back to a path many times slower (kinds L, Y)",
      .advice = "Never a verdict. A large ratio is a fallback that nobody announced.",
      .order = 460,
      .draws = kDraws,
      .not_applicable = [](const Manifest& manifest) -> std::optional<std::string> {
        if (manifest.base_bytes <= 2 && manifest.ld_multiple == 1) { return std::nullopt; }
        return "the manifest excludes misaligned operands";
      },
      .prepare = prepare,
      .run = run,
      .measures = Measure{.unit = "times the aligned case's time"}};
}

}  // namespace assay
