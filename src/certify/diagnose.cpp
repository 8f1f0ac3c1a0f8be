#include "src/certify/diagnose.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "src/certify/evidence.h"
#include "src/certify/hypotheses/hypothesis.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

// Larger cases cost more than they tell.
constexpr Index kMaxProducts = Index{1} << 22;
constexpr Index kMaxProductsOfFirst = Index{1} << 28;
// A hypothesis that explains less than this of what is wrong is none.
constexpr double kLeastShare = 0.5;

// The same case with other values: what one small case leaves open, several settle.
std::vector<CaseSpec> with_other_values(const CaseSpec& spec) {
  std::vector<CaseSpec> variants;
  for (const Fill fill : {spec.fill, Fill::kIntegers, Fill::kNormal})
    for (const std::uint64_t shift : {1, 2}) {
      CaseSpec variant = spec;
      variant.fill = fill;
      variant.seed = spec.seed + shift;
      if (parse_case(canonical_text(variant))) variants.push_back(variant);
    }
  return variants;
}

std::vector<Evidence> gather_all(Session& kernel, const std::vector<CaseSpec>& cases) {
  std::vector<Evidence> all;
  const auto gather = [&](const CaseSpec& spec, Index limit) {
    if (total_products(spec) > limit) return;
    if (auto evidence = gather_evidence(kernel, spec)) all.push_back(std::move(*evidence));
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (i > 0 && cases[i] == cases[0]) continue;
    gather(cases[i], i == 0 ? kMaxProductsOfFirst : kMaxProducts);
  }
  if (all.empty()) return all;
  for (const CaseSpec& variant : with_other_values(cases[0])) gather(variant, kMaxProducts);
  return all;
}

struct Candidate {
  std::size_t hypothesis = 0;
  std::string sentence;
  Index said_of = 0;  // wrong elements of the evidence that the sentence is from
  double value = 0, explained = 0;
};

}  // namespace

Diagnosis diagnose(Session& kernel, const std::vector<CaseSpec>& cases) {
  Diagnosis diagnosis;
  const auto hypotheses = all_hypotheses();
  diagnosis.tried = static_cast<Index>(hypotheses.size());
  if (cases.empty()) return diagnosis;
  const std::vector<Evidence> all = gather_all(kernel, cases);
  if (all.empty()) {
    const CaseSpec& spec = cases.front();
    // Every owned element is right and the case still failed: rows outside were claimed.
    if (spec.told.convention != spec.offsets.convention) {
      diagnosis.hypothesis = "convention_mixup";
      diagnosis.sentence = fmt::format("the offsets hold {}, the kernel reads them as {}",
                                       name(spec.offsets.convention), name(spec.told.convention));
      diagnosis.share = 1;
    }
    return diagnosis;
  }
  diagnosis.where = where_wrong(all.front());
  std::map<std::pair<std::size_t, std::string>, Candidate> candidates;
  for (const Evidence& evidence : all)
    for (std::size_t h = 0; h < hypotheses.size(); ++h) {
      std::vector<Claim> claims;
      hypotheses[h].propose(evidence, claims);
      for (const Claim& claim : claims) {
        const ClaimScore scored = score(evidence, claim);
        Candidate& candidate = candidates[{h, claim.key}];
        candidate.hypothesis = h;
        candidate.value += scored.value() / static_cast<double>(all.size());
        candidate.explained += scored.explained / static_cast<double>(all.size());
        if (evidence.wrong_count <= candidate.said_of) continue;
        candidate.said_of = evidence.wrong_count;
        candidate.sentence = claim.sentence;
      }
    }
  const Candidate* best = nullptr;
  for (const auto& [key, candidate] : candidates)
    if (!best || candidate.value > best->value) best = &candidate;
  if (best && best->explained >= kLeastShare) {
    diagnosis.hypothesis = hypotheses[best->hypothesis].name;
    diagnosis.sentence = best->sentence;
    diagnosis.share = best->explained;
  }
  return diagnosis;
}

}  // namespace assay
