// Reports which share of the computed rows are tokens, for common tile heights; judged like any
// case, speed is no verdict.
#include <fmt/format.h>

#include "properties/support/case_run.h"

namespace assay {
namespace {

constexpr Index kTileHeights[] = {32, 64, 128, 256};

Verdict run(Session& kernel, const CaseSpec& spec) {
  Verdict verdict = judge_case_whole(kernel, spec);
  if (verdict.kind != VerdictKind::kPassed) return verdict;
  const double rows = static_cast<double>(total_rows(spec));
  std::string shares;
  for (const Index height : kTileHeights) {
    Index computed = 0;
    for (const Index count : spec.rows) computed += (count + height - 1) / height * height;
    const double share = computed > 0 ? 100 * rows / static_cast<double>(computed) : 100;
    shares += fmt::format("{}{} rows {:.0f} %", shares.empty() ? "" : ", ", height, share);
  }
  verdict.reason = "useful rows by tile height: " + shares;
  return verdict;
}

}  // namespace

Check useful_row_fraction() {
  return {
      .name = "useful_row_fraction",
      .sentence =
          "Reports which share of the computed rows are tokens, for common tile "
          "heights.",
      .field_bug = "tiles tuned on balanced counts (kind Y); a measurement, it stays to be read",
      .not_applicable = always_applies,
      .prepare = nullptr,
      .run = run};
}

}  // namespace assay
