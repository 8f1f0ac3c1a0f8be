#include "src/certify/diagnose.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "properties/support/case_run.h"
#include "src/certify/evidence.h"
#include "src/certify/hypotheses/hypothesis.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

// Larger cases cost more than they tell.
constexpr Index kMaxProducts = Index{1} << 22;
constexpr Index kMaxProductsOfFirst = Index{1} << 25;
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
  std::string key, sentence;
  Index said_of = 0;                // wrong elements of the evidence that the sentence is from
  double value = 0, explained = 0;  // summed over the evidence
};

// In the order in which they were first proposed: of equally good ones the first wins.
class Candidates {
 public:
  void take(std::size_t hypothesis, const Claim& claim, const Evidence& evidence) {
    const ClaimScore scored = score(evidence, claim);
    Candidate& candidate = find(hypothesis, claim.key);
    candidate.value += scored.value() * (all_hypotheses()[hypothesis].describes ? 0.5 : 1);
    candidate.explained += scored.explained;
    if (evidence.wrong_count <= candidate.said_of) return;
    candidate.said_of = evidence.wrong_count;
    candidate.sentence = claim.sentence;
  }
  const Candidate* best() const {
    const auto found =
        std::max_element(all_.begin(), all_.end(), [](const Candidate& a, const Candidate& b) {
          return a.value != b.value ? a.value < b.value : a.hypothesis > b.hypothesis;
        });
    return found == all_.end() ? nullptr : &*found;
  }

 private:
  Candidate& find(std::size_t hypothesis, const std::string& key) {
    for (Candidate& candidate : all_)
      if (candidate.hypothesis == hypothesis && candidate.key == key) return candidate;
    all_.push_back({.hypothesis = hypothesis, .key = key, .sentence = ""});
    return all_.back();
  }
  std::vector<Candidate> all_;
};

// A call's routing kept for the next one of the same size: the case is wrong after its mirror
// image, and only then.
bool follows_the_call_before(Session& kernel, const CaseSpec& spec) {
  CaseSpec mirrored = spec;
  std::reverse(mirrored.rows.begin(), mirrored.rows.end());
  if (mirrored == spec || total_products(spec) > kMaxProducts) return false;
  if (!parse_case(canonical_text(mirrored))) return false;
  const Problem before = problem_for(mirrored, kernel.manifest());
  kernel.run(before, {});
  return gather_evidence(kernel, spec).has_value();
}

// What can be said of a case that failed though its elements are right in a plain run.
void diagnose_without_evidence(Session& kernel, const CaseSpec& spec, Diagnosis& diagnosis) {
  if (follows_the_call_before(kernel, spec)) {
    diagnosis.hypothesis = "stale_routing";
    diagnosis.sentence = "the routing of the call before is used again";
    diagnosis.share = 1;
  } else if (spec.told.convention != spec.offsets.convention) {
    // Every owned element is right and the case still failed: rows outside were claimed.
    diagnosis.hypothesis = "convention_mixup";
    diagnosis.sentence = fmt::format("the offsets hold {}, the kernel reads them as {}",
                                     name(spec.offsets.convention), name(spec.told.convention));
    diagnosis.share = 1;
  }
}

}  // namespace

Diagnosis diagnose(Session& kernel, const std::vector<CaseSpec>& cases) {
  Diagnosis diagnosis;
  const auto hypotheses = all_hypotheses();
  diagnosis.tried = static_cast<Index>(hypotheses.size());
  if (cases.empty()) return diagnosis;
  const std::vector<Evidence> all = gather_all(kernel, cases);
  if (all.empty()) {
    diagnose_without_evidence(kernel, cases.front(), diagnosis);
    return diagnosis;
  }
  diagnosis.where = where_wrong(all.front());
  Candidates candidates;
  for (const Evidence& evidence : all)
    for (std::size_t h = 0; h < hypotheses.size(); ++h) {
      std::vector<Claim> claims;
      hypotheses[h].propose(evidence, claims);
      for (const Claim& claim : claims) candidates.take(h, claim, evidence);
    }
  const Candidate* best = candidates.best();
  const auto share = [&] { return best->explained / static_cast<double>(all.size()); };
  if (best && share() >= kLeastShare) {
    diagnosis.hypothesis = hypotheses[best->hypothesis].name;
    diagnosis.sentence = best->sentence;
    diagnosis.share = share();
  }
  return diagnosis;
}

}  // namespace assay
