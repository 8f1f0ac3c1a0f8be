#include "src/selftest/mixups.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/diagnosis/diagnose.h"
#include "src/harness/judge/judge_case.h"
#include "src/harness/memory/told_offsets.h"
#include "src/problem/case_text.h"
#include "src/problem/convention.h"
#include "src/problem/rng.h"

namespace assay {
namespace {

// Routings that differ in what hides a mix-up: one expert, equal counts, empties, a tail.
CaseSpec mixup_case(Rng& rng, Convention holds, Convention told) {
  CaseSpec spec;
  spec.pass = kAllPasses[rng.below(3)];
  spec.k = rng.between(4, 24);
  spec.n = rng.between(4, 24);
  const Index experts = rng.between(1, 6);
  const Index same = rng.between(1, 9);
  const bool equal = rng.chance(1, 4);
  for (Index expert = 0; expert < experts; ++expert) {
    spec.rows.push_back(equal ? same : rng.chance(1, 4) ? 0 : rng.between(1, 12));
  }
  spec.offsets = {.convention = holds};
  spec.told = {.convention = told};
  if (!traits(holds).has_buffers && rng.chance(1, 2)) { spec.tail = rng.between(1, 20); }
  spec.fill = Fill::kIntegers;
  spec.seed = static_cast<std::uint64_t>(rng.below(1'000'000));
  return spec;
}

void count_case(Session& kernel, const CaseSpec& spec, MixupCount& count) {
  // Arrays that are not even there are refused with the case itself.
  if (!parse_case(canonical_text(spec))) {
    ++count.refused;
    return;
  }
  const Problem problem = make_problem(spec);
  if (!validate_as_told(problem)) {
    ++count.refused;
    return;
  }
  const Outcome outcome = kernel.run(problem, {});
  if (outcome.status == RunStatus::kUnsupported || outcome.status == RunStatus::kError) {
    ++count.refused;
    return;
  }
  const bool right = outcome.status == RunStatus::kOk && outcome.faults.empty() &&
                     judge_output(problem, outcome.output, kernel.manifest()).wrong == 0;
  if (right) {
    ++count.harmless;
    return;
  }
  const Diagnosis diagnosis = diagnose(kernel, {spec});
  if (diagnosis.hypothesis == "convention_mixup" &&
      diagnosis.sentence.find(name(count.told)) != std::string::npos) {
    ++count.diagnosed;
    return;
  }
  ++count.unexplained;
  if (count.unexplained_case.empty()) {
    count.unexplained_case = fmt::format("{} ({})", short_text(spec), diagnosis.hypothesis);
  }
}

}  // namespace

std::vector<MixupCount> try_mixups(Session& kernel, Index routings, std::uint64_t seed) {
  std::vector<MixupCount> counts;
  Rng rng(seed);
  for (const Convention holds : kAllConventions) {
    for (const Convention told : kAllConventions) {
      if (holds == told) { continue; }
      MixupCount count{.holds = holds, .told = told};
      for (Index routing = 0; routing < routings; ++routing) {
        count_case(kernel, mixup_case(rng, holds, told), count);
      }
      counts.push_back(count);
    }
  }
  return counts;
}

std::string mixups_table(const std::vector<MixupCount>& counts) {
  std::string text = fmt::format("{:<12} {:<12} {:>8} {:>10} {:>9} {:>12}\n", "arrays hold", "told",
                                 "refused", "diagnosed", "harmless", "unexplained");
  for (const MixupCount& count : counts) {
    text += fmt::format("{:<12} {:<12} {:>8} {:>10} {:>9} {:>12}\n", name(count.holds),
                        name(count.told), count.refused, count.diagnosed, count.harmless,
                        count.unexplained);
    if (!count.unexplained_case.empty()) { text += "    " + count.unexplained_case + "\n"; }
  }
  return text;
}

}  // namespace assay
