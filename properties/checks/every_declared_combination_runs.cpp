// Every declared combination of pass, formats, weight layout and convention computes the case.
#include <algorithm>
#include <cstddef>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "properties/generators/draw.h"
#include "properties/generators/fit.h"
#include "properties/support/case_run.h"
#include "properties/support/pieces.h"
#include "src/problem/case_text.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  keep_narrow(spec);
  limit_products(spec, kSmallProducts);
  spec.acc = 0;
  spec.pad = 1;
  spec.cap = 0;
  spec.tail = 0;
  spec.base = {};  // aligned for one format is misaligned for another
  if (manifest.ld_multiple > 1) {
    // A gap that is declared under one layout may not be under another: rows without gaps, whose
    // widths are strides that each layout allows.
    spec.ld = {};
    spec.wpitch = 0;
    spec.k = align_up(spec.k, std::lcm(manifest.k_multiple, manifest.ld_multiple));
    spec.n = align_up(spec.n, std::lcm(manifest.n_multiple, manifest.ld_multiple));
  }
}

bool is_scaled(const Combination& formats) { return formats.in.scaled() || formats.out.scaled; }

// Where a kernel has many combinations with scales, each case has one in five of them by turns.
std::uint64_t scaled_turns(const Manifest& manifest) {
  constexpr std::size_t kMany = 100;
  constexpr std::uint64_t kTurns = 5;
  std::size_t scaled = 0;
  for (const Pass pass : manifest.passes) {
    scaled += static_cast<std::size_t>(std::ranges::count_if(manifest.formats_of(pass), is_scaled));
  }
  return scaled * manifest.weights.size() * manifest.offsets.size() > kMany ? kTurns : 1;
}

// None, then each that the manifest lists.
std::optional<Format> bias_of_turn(const CaseSpec& spec, const Manifest& manifest,
                                   std::uint64_t& turn) {
  if (!may_have_bias(spec)) { return std::nullopt; }
  const std::size_t chosen = turn++ % (manifest.bias.size() + 1);
  return chosen == 0 ? std::nullopt : std::optional(manifest.bias[chosen - 1]);
}

std::vector<CaseSpec> combinations(const CaseSpec& spec, const Manifest& manifest) {
  const std::uint64_t turns = scaled_turns(manifest);
  std::vector<CaseSpec> specs;
  std::uint64_t turn = spec.seed, bias_turn = spec.seed;
  for (const Pass pass : manifest.passes) {
    for (const Combination& formats : manifest.formats_of(pass)) {
      for (const WeightsLayout layout : manifest.weights) {
        for (const OffsetsKind& kind : manifest.offsets) {
          if (is_scaled(formats) && turn++ % turns != 0) { continue; }
          CaseSpec one = spec;
          one.pass = pass;
          use(formats, one);
          one.weights = layout;
          one.offsets = one.told = kind;
          fit_to(one, manifest);
          one.bias = bias_of_turn(one, manifest, bias_turn);
          specs.push_back(one);
        }
      }
    }
  }
  return specs;
}

// A combination that was judged. The next ones differ from it in how offsets are told, and have its
// values.
struct Judged {
  Problem problem;
  CaseRun run;
};

Verdict run(Session& kernel, const CaseSpec& spec) {
  Verdict verdict{.kind = VerdictKind::kNotRun, .reason = "the manifest declares no combination"};
  const Manifest& manifest = kernel.manifest();
  const std::size_t most = manifest.bias.size() + 1;  // with each bias, and without
  Index runs = 0;
  double worst_ratio = 0;
  std::deque<Judged> judged;
  for (const CaseSpec& one : combinations(spec, manifest)) {
    const auto known = std::ranges::find_if(
        judged, [&](const Judged& before) { return has_values_of(one, before.problem.spec); });
    if (known != judged.end()) {
      verdict = run_and_judge(kernel, relaid(known->problem, one), &known->run).verdict;
    } else {
      if (judged.size() == most) { judged.pop_front(); }
      Problem problem = problem_for(one, manifest);
      CaseRun run = run_and_judge(kernel, problem);
      verdict = run.verdict;
      judged.push_back({std::move(problem), std::move(run)});
    }
    runs += verdict.runs;
    worst_ratio = std::max(worst_ratio, verdict.worst_ratio);
    // Trivial answers may fit one format of many; the others still count.
    if (verdict.kind == VerdictKind::kInconclusive) { verdict.kind = VerdictKind::kPassed; }
    if (verdict.kind != VerdictKind::kPassed) {
      say_where(verdict, short_text(one) + ": ");
      verdict.inner = one;
      break;
    }
  }
  verdict.runs = runs;
  verdict.worst_ratio = worst_ratio;
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 105, .quick = 2, .ci = 2, .peers = 5, .full = 24},
    {.generator = "empties", .seed = 106, .quick = 1, .ci = 1, .peers = 3, .full = 16},
};

}  // namespace

Check every_declared_combination_runs() {
  return {.name = "every_declared_combination_runs",
          .summary =
              "Every declared combination of pass, formats, weight layout and convention "
              "computes the case.",
          .guards_against = "combinations that are documented, compiled and never run (kinds L, V)",
          .advice =
              "The manifest declares a combination of pass, format, layout and convention that the "
              "kernel refuses or gets wrong. Correct one of them.",
          .order = 370,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = run};
}

}  // namespace assay
