// Measures the time of the first call of a shape over that of the next ones.
#include <algorithm>
#include <optional>
#include <vector>

#include "properties/generators/draw.h"
#include "properties/generators/fit.h"
#include "properties/support/case_run.h"

namespace assay {
namespace {

constexpr double kRemarkable = 3;
constexpr Index kShapes = 3;  // a figure: their median, since any call may be interrupted

// A shape that hardly any other case has; some 300,000 products, for which the quickest kernel
// takes far longer than for a page fault.
CaseSpec rare_shape(const CaseSpec& spec, const Manifest& manifest, Index number) {
  CaseSpec rare = spec;
  const auto salt = static_cast<Index>(spec.seed % 499);
  rare.rows = {601 + 2 * salt + 173 * number, 0, 89 + 31 * number};
  // As rare a number of experts, the others empty.
  rare.rows.resize(static_cast<std::size_t>(11 + salt % 7 + 7 * number), 0);
  rare.k = 15 + 3 * number + manifest.k_multiple;
  rare.n = 19 + 3 * number + manifest.n_multiple;
  fit_widths(rare, manifest);
  rare.cap = rare.cap > 0 ? rare.rows.front() : 0;
  settle_fill(rare);
  fit_rows(rare, manifest);
  return rare;
}

// The first call over the faster of two more; nothing where one is not right.
std::optional<double> first_over_next(Session& kernel, const CaseSpec& spec, Verdict& verdict) {
  const Problem problem = problem_for(spec, kernel.manifest());
  const Outcome first = kernel.run(problem, {});
  if (!accept_outcome(verdict, problem, kernel.manifest(), first)) { return std::nullopt; }
  const double next = best_seconds(kernel, problem, verdict);
  if (verdict.kind != VerdictKind::kPassed || !(next > 0)) { return std::nullopt; }
  return first.seconds / next;
}

std::optional<std::string> not_applicable(const Manifest& manifest) {
  if (!manifest.compiled_for.any()) { return std::nullopt; }
  return "the manifest says that the kernel is compiled for shapes: in their first call";
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  Verdict verdict = judge_case_whole(kernel, spec);
  std::optional<double> least;
  // What looks slow is measured once more, on other shapes.
  for (Index first = 0; first < 2 * kShapes; first += kShapes) {
    std::vector<double> ratios;
    for (Index number = first; number < first + kShapes; ++number) {
      if (verdict.kind != VerdictKind::kPassed) { return verdict; }
      const CaseSpec rare = rare_shape(spec, manifest, number);
      if (const auto reason = exclusion(manifest, rare)) {
        leave_unmeasured(verdict, *reason);
        return verdict;
      }
      if (const auto ratio = first_over_next(kernel, rare, verdict)) { ratios.push_back(*ratio); }
    }
    if (verdict.kind != VerdictKind::kPassed) { return verdict; }
    if (ratios.size() < static_cast<std::size_t>(kShapes)) { break; }
    std::ranges::sort(ratios);
    const double median = ratios[ratios.size() / 2];
    least = least ? std::min(*least, median) : median;
    if (!(*least >= kRemarkable)) { break; }
  }
  if (least) {
    measure(verdict, *least);
  } else {
    leave_unmeasured(verdict, "a run took less than the clock's tick");
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 130, .quick = 2, .ci = 6, .peers = 3, .full = 24},
};

}  // namespace

Check first_call_over_the_second() {
  return {.name = "first_call_over_the_second",
          .summary = "Measures the time of the first call of a shape over that of the next ones.",
          .guards_against = "kernels that are compiled, tuned or planned for each shape (kind Y)",
          .advice =
              "Never a verdict. Row counts change with every batch: what is made anew for each of "
              "them is paid for in every call.",
          .order = 480,
          .draws = kDraws,
          .not_applicable = not_applicable,
          .prepare = use_plain_execution,
          .run = run,
          .measures = Measure{.unit = "times the next calls' time", .remarkable = kRemarkable}};
}

}  // namespace assay
