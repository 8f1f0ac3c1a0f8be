#include "src/diagnosis/diagnose.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "properties/generators/fit.h"
#include "properties/support/case_run.h"
#include "src/diagnosis/evidence.h"
#include "src/diagnosis/hypotheses/hypothesis.h"
#include "src/diagnosis/plain_run.h"
#include "src/diagnosis/probing/probe.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

// Larger cases cost more than they tell.
constexpr Index kMaxProducts = Index{1} << 20;
constexpr Index kMaxProductsOfFirst = Index{1} << 22;
// A hypothesis that explains less than this of what is wrong is none.
constexpr double kLeastShare = 0.5;
// One that foretells the case, and this much of all that is wrong, is not doubted.
constexpr double kNearlyAll = 0.9;

// The same case with other values: what one small case leaves open, several settle.
std::vector<CaseSpec> with_other_values(const CaseSpec& spec) {
  std::vector<CaseSpec> variants;
  for (const Fill fill : {spec.fill, Fill::kIntegers, Fill::kNormal}) {
    for (const std::uint64_t shift : {1, 2}) {
      CaseSpec variant = spec;
      variant.fill = fill;
      variant.seed = spec.seed + shift;
      if (parse_case(canonical_text(variant))) { variants.push_back(variant); }
    }
  }
  return variants;
}

Index rounded_down(Index size, Index multiple) {
  return std::max<Index>(size / multiple, 1) * multiple;
}

struct Shape {
  Index k = 0, n = 0;
  std::vector<Index> rows;
};

// Counts ascend, so that they are valid ends, too. Every block up to 128 cuts a reduction of 248
// elsewhere.
std::vector<Shape> larger_shapes(const CaseSpec& spec) {
  std::vector<Index> more_rows = spec.rows;
  for (Index& rows : more_rows) { rows += rows > 0 ? 4 : 0; }
  std::vector<Shape> shapes = {{43, 27, {3, 5, 9}}, {spec.k, spec.n + 7, more_rows}};
  if (spec.k == spec.n) { shapes.push_back({40, 40, {3, 5, 9}}); }
  const Axis depth = operation(spec.pass).depth();
  if (depth == Axis::kK) { shapes.push_back({504, 40, {0, 5, 8, 11}}); }
  if (depth == Axis::kN) { shapes.push_back({40, 504, {0, 5, 8, 11}}); }
  if (depth == Axis::kRows) { shapes.push_back({24, 20, {0, 120, 248, 504}}); }
  return shapes;
}

// The same question of larger problems: a case shrunk to one element fits almost any mistake.
std::vector<CaseSpec> grown(const CaseSpec& spec, const Manifest& manifest) {
  std::vector<CaseSpec> cases;
  for (const Shape& shape : larger_shapes(spec)) {
    for (const Fill fill : {Fill::kIntegers, Fill::kAnchored, Fill::kNormal, spec.fill}) {
      CaseSpec larger = spec;
      larger.k = rounded_down(shape.k, manifest.multiple(Axis::kK, spec.pass));
      larger.n = rounded_down(shape.n, manifest.multiple(Axis::kN, spec.pass));
      larger.rows = shape.rows;
      larger.cap = 0;
      larger.fill = fill;
      // Shapes that are compiled by now, where each costs a compilation.
      if (manifest.compiled_for.any()) { fit_to(larger, manifest); }
      const bool repeated = std::find(cases.begin(), cases.end(), larger) != cases.end();
      if (!repeated && parse_case(canonical_text(larger))) { cases.push_back(std::move(larger)); }
    }
  }
  return cases;
}

std::vector<Evidence> gather_all(Session& kernel, const std::vector<CaseSpec>& cases) {
  std::vector<Evidence> all;
  const auto gather = [&](const CaseSpec& spec, Index limit,
                          Placement placement = Placement::kLow) {
    if (multiply_adds(spec) > limit) { return false; }
    auto evidence = gather_evidence(kernel, spec, placement);
    if (evidence) { all.push_back(std::move(*evidence)); }
    return evidence.has_value();
  };
  // What an address decides may show in one placement only.
  const bool first = gather(cases[0], kMaxProductsOfFirst) ||
                     gather(cases[0], kMaxProductsOfFirst, Placement::kHigh);
  for (std::size_t i = 1; i < cases.size(); ++i) {
    if (cases[i] != cases[0]) { gather(cases[i], kMaxProducts); }
  }
  bool plain_is_wrong = false;
  for (const CaseSpec& variant : with_other_values(cases[0])) {
    const bool wrong = gather(variant, kMaxProducts);
    plain_is_wrong = plain_is_wrong || (wrong && variant.fill == Fill::kIntegers);
  }
  if (first && has_special_values(cases[0].fill) && multiply_adds(cases[0]) <= kMaxProducts &&
      !plain_is_wrong) {
    all.front().needs_its_values = true;
  }
  for (const CaseSpec& larger : grown(cases[0], kernel.manifest())) {
    gather(larger, kMaxProducts);
  }
  return all;
}

struct Candidate {
  std::size_t hypothesis = 0;
  std::string key, sentence;
  Index said_of = 0;                // wrong elements of the evidence that the sentence is from
  double value = 0, explained = 0;  // weighted sums over the evidence
  double of_exact = 0;              // explained of exact fills: some claims speak of no other
  double of_first = -1;             // explained of the first case; -1: it claims nothing there
  double against_first = 0;         // contradicted there
};

bool is_observed(const Candidate& candidate) {
  return all_hypotheses()[candidate.hypothesis].kind == Hypothesis::Kind::kObservation &&
         candidate.of_first == 1 && candidate.against_first == 0;
}

// In the order in which they were first proposed: of equally good ones the first wins.
class Candidates {
 public:
  // first: the evidence of the case that the diagnosis is printed with; null: it has none.
  explicit Candidates(const Evidence* first) : first_(first) {}

  void take(std::size_t hypothesis, const Claim& claim, const Evidence& evidence) {
    const ClaimScore scored = score(evidence, claim);
    const double weight = weight_of(evidence);
    Candidate& candidate = find(hypothesis, claim.key);
    candidate.value += weight * scored.value();
    candidate.explained += weight * scored.explained;
    candidate.of_exact += evidence.is_exact_fill() ? weight * scored.explained : 0;
    if (&evidence == first_) {
      if (scored.explained > candidate.of_first) {
        candidate.of_first = scored.explained;
        candidate.against_first = scored.contradicted;
      }
      candidate.said_of = std::numeric_limits<Index>::max();
      candidate.sentence = claim.sentence;
    }
    if (evidence.wrong_count <= candidate.said_of) { return; }
    candidate.said_of = evidence.wrong_count;
    candidate.sentence = claim.sentence;
  }
  // After all claims: sums become shares of the evidence that the hypothesis can speak of.
  void weigh(const std::vector<Evidence>& all) {
    double whole = 0, exact = 0;
    for (const Evidence& evidence : all) {
      whole += weight_of(evidence);
      exact += evidence.is_exact_fill() ? weight_of(evidence) : 0;
    }
    for (Candidate& candidate : all_) {
      const Hypothesis::Kind kind = all_hypotheses()[candidate.hypothesis].kind;
      const double sum = kind == Hypothesis::Kind::kCauseOnExactFills ? exact : whole;
      if (!(sum > 0)) { continue; }
      candidate.value /= sum;
      candidate.explained /= sum;
      candidate.of_exact /= exact > 0 ? exact : 1;
      if (kind == Hypothesis::Kind::kDescription) { candidate.value /= 2; }
    }
  }
  const Candidate* best() const {
    const Candidate* best = nullptr;
    for (const Candidate& candidate : all_) {
      if (candidate.of_first >= 0 && candidate.of_first < kLeastShare) { continue; }
      const bool better =
          !best || candidate.value > best->value ||
          (candidate.value == best->value && candidate.hypothesis < best->hypothesis);
      if (better) { best = &candidate; }
    }
    return best;
  }
  // What other runs of the first case showed there, whatever explains the larger ones.
  const Candidate* observed() const {
    const auto found = std::ranges::find_if(all_, is_observed);
    return found == all_.end() ? nullptr : &*found;
  }

 private:
  // The more there is to explain, the less a mistake explains by accident.
  static double weight_of(const Evidence& evidence) {
    return std::sqrt(static_cast<double>(1 + multiply_adds(evidence.problem.spec)));
  }
  Candidate& find(std::size_t hypothesis, const std::string& key) {
    for (Candidate& candidate : all_) {
      if (candidate.hypothesis == hypothesis && candidate.key == key) { return candidate; }
    }
    all_.push_back({.hypothesis = hypothesis, .key = key, .sentence = ""});
    return all_.back();
  }
  const Evidence* first_;
  std::vector<Candidate> all_;
};

// What every hypothesis foretells of every run, weighed.
Candidates candidates_of(const std::vector<Evidence>& all, const Evidence* first) {
  Candidates candidates(first);
  const auto hypotheses = all_hypotheses();
  for (const Evidence& evidence : all) {
    for (std::size_t h = 0; h < hypotheses.size(); ++h) {
      if (!may_explain(hypotheses[h], first ? *first : all.front())) { continue; }
      std::vector<Claim> claims;
      hypotheses[h].propose(evidence, claims);
      for (const Claim& claim : claims) { candidates.take(h, claim, evidence); }
    }
  }
  candidates.weigh(all);
  return candidates;
}

// Whether it foretells all that is wrong everywhere, or in the case itself and nearly everywhere,
// and why. A mistake that would have made most of what is right wrong, too, was made elsewhere.
bool is_exact(const Candidate& candidate) {
  if (all_hypotheses()[candidate.hypothesis].kind == Hypothesis::Kind::kDescription ||
      candidate.against_first > kLeastShare) {
    return false;
  }
  const double of_others = std::max(candidate.explained, candidate.of_exact);
  return candidate.explained == 1 || is_observed(candidate) ||
         (candidate.of_first == 1 && of_others >= kNearlyAll);
}

void tell(const Candidate& candidate, double share, Diagnosis& diagnosis) {
  diagnosis.hypothesis = all_hypotheses()[candidate.hypothesis].name;
  diagnosis.sentence = candidate.sentence;
  diagnosis.share = share;
}

// Where no hypothesis foretells all of it, the kernel itself is asked. `least`: of what is wrong,
// to be preferred to what a hypothesis says.
void probe_further(Session& kernel, const std::vector<Evidence>& all, double least,
                   Diagnosis& diagnosis) {
  // Of the case itself, then of the one with most to explain.
  const auto most = std::ranges::max_element(all, {}, &Evidence::wrong_count);
  for (const Evidence* evidence : {&all.front(), &*most}) {
    const bool another = evidence != &all.front();
    // What another case does is no better name for this one.
    if (another && !diagnosis.hypothesis.empty()) { return; }
    const auto probed = probe(kernel, *evidence);
    if (!probed || !(probed->share >= kLeastShare)) { continue; }
    if (probed->share > least) {
      diagnosis.hypothesis = probed->hypothesis;
      diagnosis.sentence =
          (another ? short_text(evidence->problem.spec) + ": " : "") + probed->sentence;
      diagnosis.share = probed->share;
    } else if (!probed->where.empty()) {
      diagnosis.sentence += ", " + probed->where;
    }
    return;
  }
}

// Where every element is within the bound: what foretells each bit that is not as declared.
bool diagnose_bits(Session& kernel, const CaseSpec& spec, Diagnosis& diagnosis) {
  if (multiply_adds(spec) > kMaxProducts) { return false; }
  std::vector<Evidence> all;
  if (auto evidence = gather_evidence_of_bits(kernel, spec)) {
    all.push_back(std::move(*evidence));
  }
  if (all.empty()) { return false; }
  const Candidates candidates = candidates_of(all, &all.front());
  const Candidate* best = candidates.best();
  if (!best || !is_exact(*best) || best->against_first > 0) { return false; }
  tell(*best, 1, diagnosis);
  diagnosis.where = where_wrong(all.front());
  return true;
}

// What can be said of a case that failed though its elements are right in a plain run.
void diagnose_without_evidence(Session& kernel, const CaseSpec& spec, Diagnosis& diagnosis) {
  const bool told_right = spec.told.convention == spec.offsets.convention;
  if (told_right && diagnose_under_both_poisons(kernel, spec, diagnosis)) { return; }
  if (told_right && diagnose_bits(kernel, spec, diagnosis)) { return; }
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
  } else {
    diagnosis.sentence = how_a_plain_run_ends(kernel, spec);
  }
}

}  // namespace

Diagnosis diagnose(Session& kernel, const std::vector<CaseSpec>& cases) {
  Diagnosis diagnosis;
  const auto hypotheses = all_hypotheses();
  diagnosis.tried = static_cast<Index>(hypotheses.size());
  if (cases.empty()) { return diagnosis; }
  if (const auto excluded = exclusion(kernel.manifest(), cases.front())) {
    diagnosis.hypothesis = "not_refused";
    diagnosis.sentence = fmt::format(
        "the manifest excludes this case ({}), so the kernel has to return ASSAY_UNSUPPORTED",
        *excluded);
    diagnosis.share = 1;
    return diagnosis;
  }
  if (diagnose_what_it_left(kernel, cases.front(), diagnosis)) { return diagnosis; }
  const std::vector<Evidence> all = gather_all(kernel, cases);
  if (all.empty()) {
    diagnose_without_evidence(kernel, cases.front(), diagnosis);
    return diagnosis;
  }
  const Evidence* const first = all.front().problem.spec == cases.front() ? &all.front() : nullptr;
  if (first) { diagnosis.where = where_wrong(*first); }
  const Candidates candidates = candidates_of(all, first);
  const Candidate* best = candidates.best();
  if (!best || best->explained < kLeastShare) { best = candidates.observed(); }
  if (best) { tell(*best, is_observed(*best) ? 1 : best->explained, diagnosis); }
  if (!best || !is_exact(*best)) {
    probe_further(kernel, all, best ? diagnosis.share * (1 - best->against_first / 2) : 0,
                  diagnosis);
  } else if (first && cases.front().tactic != "default") {
    const std::string where = only_where(kernel, *first);
    if (!where.empty()) { diagnosis.sentence += ", " + where; }
  }
  return diagnosis;
}

}  // namespace assay
