// Measures the time of an odd K, N or number of rows over that of the even number beside it.
#include <algorithm>

#include <fmt/format.h>

#include "properties/generators/draw.h"
#include "properties/support/case_run.h"
#include "src/problem/case_text.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

constexpr double kRemarkable = 3;
constexpr Index kEven = 128;  // a multiple of every usual vector and tile

struct Side {
  std::string_view name;
  Index Manifest::*multiple;
  void (*make_odd)(CaseSpec& spec);
};
constexpr Side kSides[] = {
    {"n", &Manifest::n_multiple, [](CaseSpec& spec) { --spec.n; }},
    {"k", &Manifest::k_multiple, [](CaseSpec& spec) { --spec.k; }},
    {"rows", &Manifest::row_multiple, [](CaseSpec& spec) { --spec.rows.front(); }},
};

bool takes_odd(const Manifest& manifest, const Side& side) {
  return manifest.*side.multiple % 2 == 1;
}

std::optional<std::string> not_applicable(const Manifest& manifest) {
  const auto odd = [&](const Side& side) { return takes_odd(manifest, side); };
  if (std::ranges::any_of(kSides, odd)) { return std::nullopt; }
  return "the manifest excludes odd sizes";
}

void prepare(CaseSpec& spec, const Manifest& manifest) {
  use_plain_execution(spec, manifest);
  spec.k = align_up(kEven, manifest.k_multiple);
  spec.n = align_up(kEven, manifest.n_multiple);
  spec.rows = {kEven};
  spec.base = spec.ld = {};
  spec.pad = 1;
  spec.tail = spec.wpitch = 0;
  if (spec.cap > 0) { spec.cap = kEven; }
}

// How much longer the odd one takes; 0 where a run is not right.
double ratio_of(Session& kernel, const CaseSpec& odd, const CaseSpec& even, Verdict& verdict) {
  const auto seconds = [&](const CaseSpec& spec) {
    return verdict.kind == VerdictKind::kPassed
               ? best_seconds(kernel, problem_for(spec, kernel.manifest()), verdict)
               : 0;
  };
  const double of_odd = seconds(odd), of_even = seconds(even);
  return of_even > 0 ? of_odd / of_even : 0;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  Verdict verdict = judge_case_whole(kernel, spec);
  double most = 0;
  std::string ratios;
  for (const Side& side : kSides) {
    if (verdict.kind != VerdictKind::kPassed) { return verdict; }
    CaseSpec odd = spec;
    side.make_odd(odd);
    // A case that is being shrunk may have nothing to take away.
    if (!takes_odd(manifest, side) || !check_case(odd) || exclusion(manifest, odd)) { continue; }
    double ratio = ratio_of(kernel, odd, spec, verdict);
    // What looks slow is measured once more: the machine may have been busy.
    if (ratio >= kRemarkable) { ratio = std::min(ratio, ratio_of(kernel, odd, spec, verdict)); }
    if (verdict.kind != VerdictKind::kPassed) {
      say_where(verdict, fmt::format("with an odd {}: ", side.name));
      verdict.inner = odd;
      return verdict;
    }
    most = std::max(most, ratio);
    ratios += fmt::format("{}{} {:.3g}", ratios.empty() ? "odd " : ", ", side.name, ratio);
  }
  if (most > 0) {
    measure(verdict, most);
    verdict.reason = ratios;
  } else {
    leave_unmeasured(verdict, ratios.empty() ? "the manifest excludes the odd sizes"
                                             : "a run took less than the clock's tick");
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 131, .quick = 2, .ci = 6, .peers = 3, .full = 24},
};

}  // namespace

Check time_over_the_even_neighbour() {
  return {
      .name = "time_over_the_even_neighbour",
      .summary =
          "Measures the time of an odd K, N or number of rows over that of the even number "
          "beside it.",
      .guards_against = "odd sizes that fall back to a path many times slower (kinds L, Y)",
      .advice =
          "Never a verdict. A large ratio is a path for odd sizes that nobody announced; the "
          "record's line of the case has the ratio of each size.",
      .order = 465,
      .draws = kDraws,
      .not_applicable = not_applicable,
      .prepare = prepare,
      .run = run,
      .measures = Measure{.unit = "times the even neighbour's time", .remarkable = kRemarkable}};
}

}  // namespace assay
