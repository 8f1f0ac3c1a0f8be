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
#include "src/diagnosis/probing/probe.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

// Larger cases cost more than they tell.
constexpr Index kMaxProducts = Index{1} << 20;
constexpr Index kMaxProductsOfFirst = Index{1} << 22;
// A hypothesis that explains less than this of what is wrong is none.
constexpr double kLeastShare = 0.5;

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
  if (first && cases[0].fill == Fill::kSpecial && multiply_adds(cases[0]) <= kMaxProducts &&
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
  double of_first = -1;             // explained of the first case; -1: it claims nothing there
};

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
    if (&evidence == first_) {
      candidate.of_first = std::max(candidate.of_first, scored.explained);
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

// Whether it foretells all that is wrong, in the case itself or everywhere, and why.
bool is_exact(const Candidate* candidate) {
  return candidate && (candidate->explained == 1 || candidate->of_first == 1) &&
         all_hypotheses()[candidate->hypothesis].kind != Hypothesis::Kind::kDescription;
}

// Where no hypothesis foretells all of it, the kernel itself is asked.
void probe_further(Session& kernel, const std::vector<Evidence>& all, Diagnosis& diagnosis) {
  // Of the case itself, then of the one with most to explain.
  const auto most = std::ranges::max_element(all, {}, &Evidence::wrong_count);
  for (const Evidence* evidence : {&all.front(), &*most}) {
    const auto probed = probe(kernel, *evidence);
    if (!probed || !(probed->share >= kLeastShare)) { continue; }
    if (probed->share > diagnosis.share) {
      diagnosis.hypothesis = probed->hypothesis;
      diagnosis.sentence = probed->sentence;
      diagnosis.share = probed->share;
    } else if (!probed->where.empty()) {
      diagnosis.sentence += ", " + probed->where;
    }
    return;
  }
}

// A call's routing kept for the next one of the same size: the case is wrong after its mirror
// image, and only then.
bool follows_the_call_before(Session& kernel, const CaseSpec& spec) {
  CaseSpec mirrored = spec;
  std::reverse(mirrored.rows.begin(), mirrored.rows.end());
  if (mirrored == spec || multiply_adds(spec) > kMaxProducts) { return false; }
  if (!parse_case(canonical_text(mirrored))) { return false; }
  const Problem before = problem_for(mirrored, kernel.manifest());
  kernel.run(before, {});
  return gather_evidence(kernel, spec).has_value();
}

// A call that left something changed around it is explained by that, whatever it computed.
bool diagnose_what_it_left(Session& kernel, const CaseSpec& spec, Diagnosis& diagnosis) {
  const auto share = take_memory(spec, kernel.manifest());
  if (!share) { return false; }
  const Outcome outcome = kernel.run(problem_for(spec, kernel.manifest()), {});
  if (outcome.leftover.empty()) { return false; }
  diagnosis.hypothesis = "surroundings_changed";
  diagnosis.sentence = "the call returns and does not put back what it changed around it";
  diagnosis.share = 1;
  return true;
}

// Whether the run wrote what is not its own, beside elements that are right.
bool diagnose_what_it_wrote(const Outcome& outcome, Diagnosis& diagnosis) {
  if (!outcome.faults.empty()) {
    diagnosis.hypothesis = "stray_write";
    diagnosis.sentence =
        fmt::format("all its outputs are right, but it also writes memory that it does not own: {}",
                    describe(outcome.faults.front()));
  } else if (outcome.status_word != 0) {
    diagnosis.hypothesis = "status_word_set";
    diagnosis.sentence =
        "every element is right, and the status word says that the offsets are invalid";
  } else {
    return false;
  }
  diagnosis.share = 1;
  return true;
}

// What a kernel leaves in a stray byte may be one poison's pattern.
bool diagnose_under_both_poisons(Session& kernel, const CaseSpec& spec, Diagnosis& diagnosis) {
  const auto share = take_memory(spec, kernel.manifest());
  if (!share) { return false; }
  const Problem problem = problem_for(spec, kernel.manifest());
  for (const int poison : {0, 1}) {
    if (diagnose_what_it_wrote(kernel.run(problem, {.poison = poison}), diagnosis)) { return true; }
  }
  return false;
}

// What can be said of a case that failed though its elements are right in a plain run.
void diagnose_without_evidence(Session& kernel, const CaseSpec& spec, Diagnosis& diagnosis) {
  const bool told_right = spec.told.convention == spec.offsets.convention;
  if (told_right && diagnose_under_both_poisons(kernel, spec, diagnosis)) { return; }
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
  if (best && best->explained >= kLeastShare) {
    diagnosis.hypothesis = hypotheses[best->hypothesis].name;
    diagnosis.sentence = best->sentence;
    diagnosis.share = best->explained;
  }
  if (!is_exact(best)) {
    probe_further(kernel, all, diagnosis);
  } else if (first && cases.front().tactic != "default") {
    const std::string where = only_where(kernel, *first);
    if (!where.empty()) { diagnosis.sentence += ", " + where; }
  }
  return diagnosis;
}

}  // namespace assay
