#include "src/diagnosis/evidence.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "oracle/model/model.h"
#include "properties/support/case_run.h"
#include "src/harness/judge/dequantised.h"
#include "src/harness/memory/case_memory.h"
#include "src/harness/memory/poison.h"

namespace assay {
namespace {

// Calls visit(element, product, row, col) for every element.
template <class Visit>
void for_each_element(const Evidence& evidence, const Visit& visit) {
  Index element = 0;
  for (const oracle::Product& product : evidence.products) {
    for (Index row = 0; row < product.got.rows; ++row) {
      for (Index col = 0; col < product.got.cols; ++col, ++element) {
        visit(static_cast<std::size_t>(element), product, row, col);
      }
    }
  }
}

std::uint32_t bits_in(const std::vector<std::byte>& output, const Evidence& evidence,
                      const oracle::Matrix& got, Index row, Index col) {
  oracle::Matrix same = got;
  const auto* first = static_cast<const std::byte*>(got.data);
  same.data = output.data() + (first - evidence.got.data());
  return same.bits(row, col);
}

void compare_runs(Evidence& evidence, const Outcome& again, const Outcome& poisoned) {
  const Format format = evidence.problem.output().format;
  const bool overwrites = evidence.problem.spec.acc == 0;
  const auto size = static_cast<std::size_t>(evidence.elements());
  evidence.unwritten.assign(size, 0);
  evidence.unsteady.assign(size, 0);
  evidence.tainted.assign(size, 0);
  evidence.follows_poison.assign(size, 0);
  evidence.exact_bits.assign(size, 0);
  const MultipliedCase multiplied(evidence.problem, evidence.manifest.arithmetic);
  const std::vector<std::byte> exact = exact_output(*multiplied);
  for_each_element(evidence, [&](std::size_t element, const oracle::Product& product, Index row,
                                 Index col) {
    const std::uint32_t bits = product.got.bits(row, col);
    const auto read = [&](const std::vector<std::byte>& output) {
      return bits_in(output, evidence, product.got, row, col);
    };
    evidence.exact_bits[element] = read(exact);
    const bool follows_poison = poisoned.status == RunStatus::kOk && read(poisoned.output) != bits;
    if (again.status == RunStatus::kOk) { evidence.unsteady[element] = read(again.output) != bits; }
    const bool holds_poison = follows_poison && bits == unwritten_bits(format, 0) &&
                              read(poisoned.output) == unwritten_bits(format, 1);
    const bool holds_c = evidence.wrong[element] && !overwrites && bits == product.c.bits(row, col);
    evidence.unwritten[element] = overwrites ? holds_poison : holds_c;
    // The largest number is what overflow saturates at.
    const double magnitude = std::abs(decode(format, evidence.exact_bits[element]));
    const bool turned_non_finite =
        !std::isfinite(decode(format, bits)) && magnitude < traits(format).max_finite;
    evidence.follows_poison[element] = follows_poison && !evidence.unsteady[element];
    evidence.tainted[element] = turned_non_finite || evidence.follows_poison[element];
  });
}

std::vector<std::uint8_t> healed(const Evidence& evidence, Session& kernel,
                                 const RunOptions& options) {
  std::vector<std::uint8_t> healed(evidence.wrong.size(), 0), wrong;
  const Outcome outcome = kernel.run(evidence.problem, options);
  if (outcome.status != RunStatus::kOk) { return healed; }
  judge_output(evidence.problem, outcome.output, evidence.manifest, {.wrong_map = &wrong});
  wrong.resize(evidence.wrong.size());
  for (std::size_t i = 0; i < healed.size(); ++i) { healed[i] = evidence.wrong[i] && !wrong[i]; }
  return healed;
}

// Which memory of its own the kernel reads before it has written it.
void ask_its_own_memory(Evidence& evidence, Session& kernel) {
  bool tainted = false;
  for (std::size_t i = 0; i < evidence.wrong.size(); ++i) {
    tainted = tainted || (evidence.wrong[i] && evidence.tainted[i]);
  }
  if (!tainted) { return; }
  evidence.cleared_by_workspace =
      healed(evidence, kernel, {.placement = evidence.placement, .workspace_dirty = false});
  evidence.cleared_by_output =
      healed(evidence, kernel, {.placement = evidence.placement, .output_cleared = true});
  // What was never written and should be zero is right then, too.
  const Format format = evidence.problem.output().format;
  for (std::size_t i = 0; i < evidence.cleared_by_output.size(); ++i) {
    if (decode(format, evidence.exact_bits[i]) == 0) { evidence.cleared_by_output[i] = 0; }
  }
}

std::string range_text(Index first, Index last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

// Rows and columns that hold an expert's wrong elements.
struct Box {
  Index wrong = 0;
  Index first_row = 0, last_row = 0, first_col = 0, last_col = 0;
  void take(Index row, Index col) {
    first_row = wrong == 0 ? row : std::min(first_row, row);
    last_row = wrong == 0 ? row : std::max(last_row, row);
    first_col = wrong == 0 ? col : std::min(first_col, col);
    last_col = wrong == 0 ? col : std::max(last_col, col);
    ++wrong;
  }
  Index area() const { return (last_row - first_row + 1) * (last_col - first_col + 1); }
};

constexpr int kBoxesShown = 3;

// What the kernel gives, elements numbered. Nothing where the run did not end well.
std::optional<Evidence> run_plainly(Session& kernel, const CaseSpec& spec, Placement placement) {
  Evidence evidence;
  evidence.placement = placement;
  evidence.manifest = kernel.manifest();
  evidence.problem = problem_for(spec, evidence.manifest);
  Outcome outcome = kernel.run(evidence.problem, {.placement = placement, .poison = 0});
  if (outcome.status != RunStatus::kOk) { return std::nullopt; }
  evidence.got = std::move(outcome.output);
  evidence.products = products_of(evidence.problem, evidence.got.data());
  evidence.first_element = {0};
  for (const oracle::Product& product : evidence.products) {
    evidence.first_element.push_back(evidence.first_element.back() +
                                     product.got.rows * product.got.cols);
  }
  return evidence;
}

// Of an outcome whose wrong elements are known: what further runs show. Nothing where none is.
std::optional<Evidence> complete(Evidence evidence, Session& kernel) {
  evidence.wrong.resize(static_cast<std::size_t>(evidence.elements()));
  evidence.wrong_count = std::count(evidence.wrong.begin(), evidence.wrong.end(), 1);
  if (evidence.wrong_count == 0) { return std::nullopt; }
  const Placement placement = evidence.placement;
  const Outcome again = kernel.run(evidence.problem, {.placement = placement, .poison = 0});
  const Outcome poisoned = kernel.run(evidence.problem, {.placement = placement, .poison = 1});
  compare_runs(evidence, again, poisoned);
  ask_its_own_memory(evidence, kernel);
  return evidence;
}

}  // namespace

bool Evidence::is_exact_fill() const { return is_exact(problem.spec.fill); }

std::optional<Evidence> gather_evidence(Session& kernel, const CaseSpec& spec,
                                        Placement placement) {
  // Hypotheses have outputs of their own.
  const auto share = take_memory(spec, kernel.manifest(), {.outputs = 8});
  if (!share) { return std::nullopt; }
  auto evidence = run_plainly(kernel, spec, placement);
  if (!evidence) { return std::nullopt; }
  judge_output(evidence->problem, evidence->got, evidence->manifest,
               {.wrong_map = &evidence->wrong});
  return complete(std::move(*evidence), kernel);
}

std::optional<Evidence> gather_evidence_of_bits(Session& kernel, const CaseSpec& spec) {
  const oracle::Arithmetic arithmetic = to_oracle(kernel.manifest(), spec);
  const auto share = take_memory(spec, kernel.manifest(), {.outputs = 8});
  if (!share || !oracle::is_predictable(arithmetic)) { return std::nullopt; }
  auto evidence = run_plainly(kernel, spec, Placement::kLow);
  if (!evidence) { return std::nullopt; }
  evidence->by_bits = true;
  for (const oracle::Product& product : evidence->products) {
    const MultipliedProduct multiplied(product, evidence->manifest.arithmetic);
    if (!oracle::is_predictable(arithmetic, *multiplied)) { return std::nullopt; }
    const std::vector<std::uint8_t> different = oracle::different_bits(*multiplied, arithmetic);
    evidence->wrong.insert(evidence->wrong.end(), different.begin(), different.end());
  }
  return complete(std::move(*evidence), kernel);
}

std::string where_wrong(const Evidence& evidence) {
  std::vector<Box> boxes(evidence.products.size());
  for (std::size_t expert = 0; expert < boxes.size(); ++expert) {
    const oracle::Matrix& got = evidence.products[expert].got;
    for (Index row = 0; row < got.rows; ++row) {
      for (Index col = 0; col < got.cols; ++col) {
        if (evidence.wrong[evidence.element(static_cast<Index>(expert), row, col)]) {
          boxes[expert].take(row, col);
        }
      }
    }
  }
  std::string text = fmt::format("{} of {} elements", evidence.wrong_count, evidence.elements());
  const auto hit =
      std::count_if(boxes.begin(), boxes.end(), [](const Box& box) { return box.wrong > 0; });
  int shown = 0;
  for (std::size_t expert = 0; expert < boxes.size() && shown < kBoxesShown; ++expert) {
    const Box& box = boxes[expert];
    if (box.wrong == 0) { continue; }
    ++shown;
    text += fmt::format("; expert {} rows {} columns {}", expert,
                        range_text(box.first_row, box.last_row),
                        range_text(box.first_col, box.last_col));
    if (box.wrong < box.area()) { text += fmt::format(" ({} of these {})", box.wrong, box.area()); }
  }
  if (hit > shown) { text += fmt::format("; {} more experts", hit - shown); }
  return text;
}

}  // namespace assay
