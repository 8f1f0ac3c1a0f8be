#include "src/diagnosis/probing/probe.h"

#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "properties/support/case_run.h"
#include "src/diagnosis/probing/map_text.h"
#include "src/harness/memory/case_memory.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

// What says where and not why: any cause that explains half is preferred.
constexpr double kShareOfDamage = 0.5;

double share_of(const Evidence& evidence, const std::vector<std::uint8_t>& covered) {
  Index both = 0;
  for (std::size_t i = 0; i < covered.size(); ++i) { both += evidence.wrong[i] && covered[i]; }
  return static_cast<double>(both) / static_cast<double>(evidence.wrong_count);
}

Index first_wrong_expert(const Evidence& evidence) {
  for (Index expert = 0; expert + 1 < evidence.experts(); ++expert) {
    const auto first = evidence.wrong.begin() + evidence.first_element[expert];
    const auto last = evidence.wrong.begin() + evidence.first_element[expert + 1];
    if (std::find(first, last, 1) != last) { return expert; }
  }
  return evidence.experts() - 1;
}

// One size of a case, and how it reads.
struct Size {
  Index value = 0, step = 1;
  std::string what;  // `an expert has exactly {} rows`, before the number and after it
  std::string after;
  std::function<void(CaseSpec&, Index)> set;
};

class Sizes {
 public:
  Sizes(Session& kernel, const Evidence& evidence)
      : kernel_(kernel), evidence_(evidence), spec_(evidence.problem.spec) {}

  std::string only_where() {
    const auto here = wrong(spec_);
    if (!here || !*here) { return {}; }
    std::string text;
    for (const Size& size : sizes()) {
      const std::string found = of(size);
      if (!found.empty()) { text += (text.empty() ? "only where " : " and ") + found; }
    }
    if (spec_.tactic != "default" && right_by_default()) {
      text += fmt::format("{} tactic={}", text.empty() ? "only with" : ", with", spec_.tactic);
    }
    return text;
  }

 private:
  std::vector<Size> sizes() const {
    const Manifest& manifest = kernel_.manifest();
    std::vector<Size> sizes;
    const Index expert = first_wrong_expert(evidence_);
    if (spec_.rows[static_cast<std::size_t>(expert)] > 0) {
      sizes.push_back({spec_.rows[static_cast<std::size_t>(expert)], manifest.row_multiple,
                       "an expert has ", " rows", [expert](CaseSpec& spec, Index value) {
                         spec.rows[static_cast<std::size_t>(expert)] = value;
                         if (spec.cap > 0) { spec.cap = std::max(spec.cap, value); }
                       }});
    }
    sizes.push_back({spec_.k, manifest.k_multiple, "k is ", "",
                     [](CaseSpec& spec, Index value) { spec.k = value; }});
    sizes.push_back({spec_.n, manifest.n_multiple, "n is ", "",
                     [](CaseSpec& spec, Index value) { spec.n = value; }});
    return sizes;
  }

  // Nothing where the kernel does not answer, or no more runs are left.
  std::optional<bool> wrong(const CaseSpec& spec) {
    const bool possible =
        parse_case(canonical_text(spec)) && multiply_adds(spec) <= kMostProbedProducts;
    if (!possible || exclusion(kernel_.manifest(), spec) || tried_ >= kMostTriedSizes) {
      return std::nullopt;
    }
    const auto share = take_memory(spec, kernel_.manifest());
    if (!share) { return std::nullopt; }
    ++tried_;
    const Problem problem = problem_for(spec, kernel_.manifest());
    Verdict verdict{.kind = VerdictKind::kPassed};
    const Outcome outcome = kernel_.run(problem, {.placement = evidence_.placement});
    if (outcome.status != RunStatus::kOk) { return std::nullopt; }
    return !accept_outcome(verdict, problem, kernel_.manifest(), outcome);
  }
  std::optional<bool> wrong_at(const Size& size, Index value) {
    if (value < 1) { return std::nullopt; }
    CaseSpec other = spec_;
    size.set(other, value);
    return wrong(other);
  }

  // Wrong there and right at both neighbours; then whether at every second, or every multiple.
  std::string of(const Size& size) {
    const Index step = std::max<Index>(size.step, 1);
    const auto before = wrong_at(size, size.value - step);
    const bool known = before && !*before;
    if (!known) { return {}; }
    const auto after = wrong_at(size, size.value + step);
    if (!after || *after) { return {}; }
    const auto second = wrong_at(size, size.value + 2 * step);
    if (second && *second) {
      const std::string parity = size.value % (2 * step) == 0 ? "even" : "odd";
      if (size.after.empty()) { return size.what + parity; }
      return fmt::format("{}an {} number of{}", size.what, parity, size.after);
    }
    const auto twice = wrong_at(size, 2 * size.value);
    if (size.value > 1 && twice && *twice) {
      return fmt::format("{}a multiple of {}{}", size.what, size.value, size.after);
    }
    return fmt::format("{}exactly {}{} (with {} and {} it is right)", size.what, size.value,
                       size.after, size.value - step, size.value + step);
  }

  bool right_by_default() {
    CaseSpec other = spec_;
    other.tactic = "default";
    const auto answer = wrong(other);
    return answer && !*answer;
  }

  Session& kernel_;
  const Evidence& evidence_;
  const CaseSpec& spec_;
  int tried_ = 0;
};

}  // namespace

std::string only_where(Session& kernel, const Evidence& evidence) {
  return Sizes(kernel, evidence).only_where();
}

std::optional<Probed> probe(Session& kernel, const Evidence& evidence) {
  const auto map = map_operands(kernel, evidence.problem.spec);
  const auto reading = map ? read_map(*map) : std::nullopt;
  const std::string where = only_where(kernel, evidence);
  if (reading) {
    return Probed{.hypothesis = reading->hypothesis,
                  .sentence = reading->sentence + (where.empty() ? "" : ", " + where),
                  .where = where,
                  .share = reading->names_the_damage
                               ? std::min(kShareOfDamage, share_of(evidence, reading->covered))
                               : share_of(evidence, reading->covered)};
  }
  if (where.empty()) { return std::nullopt; }
  return Probed{.hypothesis = "wrong_at_one_size",
                .sentence = "wrong " + where,
                .where = where,
                .share = kShareOfDamage};
}

}  // namespace assay
