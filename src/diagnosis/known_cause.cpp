#include "src/diagnosis/known_cause.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "src/diagnosis/evidence.h"
#include "src/diagnosis/hypotheses/hypothesis.h"

namespace assay {
namespace {

// Larger cases are not worth the wait.
constexpr Index kMaxKnownProducts = Index{1} << 22;
// Fewer wrong elements fit almost any mistake.
constexpr Index kLeastWrong = 8;

using Chosen = std::function<bool(const Hypothesis&)>;

std::optional<Diagnosis> first_of(Session& kernel, const CaseSpec& spec, const Chosen& chosen) {
  if (std::ranges::none_of(all_hypotheses(), chosen)) { return std::nullopt; }
  if (multiply_adds(spec) > kMaxKnownProducts) { return std::nullopt; }
  if (exclusion(kernel.manifest(), spec)) { return std::nullopt; }
  const auto evidence = gather_evidence(kernel, spec);
  if (!evidence || evidence->wrong_count < kLeastWrong) { return std::nullopt; }
  Diagnosis diagnosis{.share = 1, .where = where_wrong(*evidence)};
  for (const Hypothesis& hypothesis : all_hypotheses()) {
    if (!chosen(hypothesis) || !may_explain(hypothesis, *evidence)) { continue; }
    ++diagnosis.tried;
    std::vector<Claim> claims;
    hypothesis.propose(*evidence, claims);
    for (const Claim& claim : claims) {
      const ClaimScore scored = score(*evidence, claim);
      if (scored.explained < 1 || scored.contradicted > 0) { continue; }
      diagnosis.hypothesis = hypothesis.name;
      diagnosis.sentence = claim.sentence;
      return diagnosis;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Diagnosis> recognise(Session& kernel, const CaseSpec& spec,
                                   std::span<const std::string> hypotheses) {
  return first_of(kernel, spec, [&](const Hypothesis& hypothesis) {
    return std::ranges::find(hypotheses, hypothesis.name) != hypotheses.end();
  });
}

std::optional<Diagnosis> recognise(Session& kernel, const CaseSpec& spec) {
  return first_of(kernel, spec, [](const Hypothesis& hypothesis) {
    return hypothesis.kind != Hypothesis::Kind::kDescription;
  });
}

}  // namespace assay
