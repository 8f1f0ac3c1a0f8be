// Measures which share of the rows in whole tiles are tokens: what a routing costs a kernel that
// multiplies whole tiles.
#include <fmt/format.h>

#include "properties/support/case_run.h"

namespace assay {
namespace {

constexpr Index kTileHeights[] = {32, 64, 128, 256};
constexpr Index kMeasuredHeight = 128;  // that of most GPU kernels; the others are in the reason

Verdict run(Session& kernel, const CaseSpec& spec) {
  Verdict verdict = judge_case_whole(kernel, spec);
  if (verdict.kind != VerdictKind::kPassed) { return verdict; }
  const double rows = static_cast<double>(total_rows(spec));
  std::string shares;
  for (const Index height : kTileHeights) {
    Index computed = 0;
    for (const Index count : spec.rows) { computed += (count + height - 1) / height * height; }
    if (computed == 0) {
      leave_unmeasured(verdict, "no expert has a row");
      return verdict;
    }
    const double share = rows / static_cast<double>(computed);
    if (height == kMeasuredHeight) { measure(verdict, share); }
    shares += fmt::format("{}{} rows {:.0f} %", shares.empty() ? "" : ", ", height, 100 * share);
  }
  verdict.reason = "by tile height: " + shares;
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "recorded", .seed = 113, .quick = 2, .ci = 9, .peers = 6, .full = 32},
};

}  // namespace

Check useful_row_fraction() {
  return {.name = "useful_row_fraction",
          .summary = "Measures which share of the rows in whole tiles are tokens.",
          .guards_against = "tiles tuned on balanced counts (kind Y)",
          .advice =
              "Never a verdict. A low share says that smaller tiles would help on such routings. "
              "It depends on the case alone, not on the kernel.",
          .order = 440,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = nullptr,
          .run = run,
          .measures =
              Measure{.unit = "of the rows in 128-row tiles are tokens", .worse = WorseIs::kLess}};
}

}  // namespace assay
