#include "oracle/strip_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "oracle/enclosed_rule.h"

namespace assay::oracle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One row of a block.
struct RowView {
  Index row = 0;
  const double* y = nullptr;
  const double* gauge = nullptr;
};

class StripJudge {
 public:
  StripJudge(const ProductPlan& plan, const Strip& strip, const JudgeOptions& options, Tally& tally)
      : plan_(plan),
        product_(*plan.product),
        strip_(strip),
        options_(options),
        takes_part_(trivials_of(product_, options)),
        tally_(tally) {
    for (int i = 0; i < kTrivialCount; ++i) tally_.took_part[i] |= takes_part_[i];
  }

  void judge(Index block_rows) {
    BlockMaker maker(product_, plan_.terms, plan_.with_gauge);
    const Index rows = product_.a.rows;
    for (Index first = 0; first < rows; first += block_rows) {
      const Block block =
          maker.make({first, std::min(block_rows, rows - first), strip_.first_col, strip_.cols});
      for (Index row = 0; row < block.extent.rows; ++row) {
        const Index start = row * strip_.cols;
        judge_row(
            {first + row, block.y + start, block.gauge == nullptr ? nullptr : block.gauge + start});
      }
    }
    close_rotation();
  }

 private:
  bool takes_part(Trivial trivial) const { return takes_part_[static_cast<int>(trivial)]; }

  void judge_row(const RowView& row) {
    std::vector<EnclosedVerdict> verdicts(strip_.cols);
    for (Index i = 0; i < strip_.cols; ++i) verdicts[i] = judge_element(row, i);
    if (row.row == 0) first_row_ = verdicts;
    row_before_.swap(verdicts);
  }

  EnclosedVerdict judge_element(const RowView& view, Index i) {
    const Index row = view.row, col = strip_.first_col + i;
    const Enclosed element =
        enclose(plan_.terms, view.y[i], view.gauge == nullptr ? nullptr : view.gauge + i);
    const EnclosedVerdict verdict =
        plan_.terms.any_special() && plan_.terms.is_special(product_, row, col)
            ? EnclosedVerdict::special(plan_.rule, special_value(product_, plan_.terms, row, col),
                                       element.gauge_high)
            : EnclosedVerdict(plan_.rule, element);
    std::optional<ExactVerdict> exact;
    const auto truth = [&]() -> const ExactVerdict& {
      if (!exact) {
        exact = judge_value(plan_.rule, exact_element(product_, plan_.terms.conversion, row, col));
        ++tally_.judgement.escalated;
      }
      return *exact;
    };
    const std::uint32_t got_bits = product_.got.bits(row, col);
    const Point got = point_of(plan_.rule.format, got_bits);
    Answer answer = verdict.accepts(got);
    if (answer == Answer::kUndecided) {
      answer = truth().allowed.accepts(got) ? Answer::kYes : Answer::kNo;
    }
    if (verdict.may_overflow()) tally_.judgement.overflowing |= truth().overflowing;
    count(row, col, got, answer == Answer::kYes, element);
    cross_examine(verdict, element, row, i, truth);
    return verdict;
  }

  void count(Index row, Index col, const Point& got, bool right, const Enclosed& element) {
    ++tally_.judgement.elements;
    tally_.judgement.wrong += right ? 0 : 1;
    if (options_.wrong_map != nullptr && !right) {
      (*options_.wrong_map)[plan_.first_element + row * product_.b.cols + col] = 1;
    }
    Witness witness{.product = strip_.product, .row = row, .col = col};
    witness.ratio = ratio(got, right, element);
    tally_.offer_worst(witness);
  }

  double ratio(const Point& got, bool right, const Enclosed& element) const {
    const Format format = plan_.rule.format;
    const Place infinite = infinite_place(format);
    if (got.nan) return right ? 0 : kInfinity;
    const double y = element.y_low / 2 + element.y_high / 2;
    double error = 0;
    if (got.place > -infinite) error = std::max(error, midpoint_above(format, got.place - 1) - y);
    if (got.place < infinite) error = std::max(error, y - midpoint_above(format, got.place));
    const double bound = plan_.rule.bound.at(element.gauge_high);
    const double quotient = bound > 0 ? error / bound : error > 0 ? kInfinity : 0;
    return right ? std::min(quotient, 1.0) : std::max(quotient, std::nextafter(1.0, 2.0));
  }

  template <class Truth>
  void cross_examine(const EnclosedVerdict& verdict, const Enclosed& element, Index row, Index i,
                     const Truth& truth) {
    using Points = EnclosedVerdict::Points;
    const auto offer = [&](Trivial trivial, const Points& answer, const auto& exact_answer) {
      const int index = static_cast<int>(trivial);
      Answer different = differ(answer, verdict.rounded());
      if (different == Answer::kUndecided) {
        different = exact_answer() == truth().rounded ? Answer::kNo : Answer::kYes;
      }
      tally_.judgement.trivial_differs[index] += different == Answer::kYes ? 1 : 0;
      if (tally_.rejected[index]) return;
      Answer accepted = verdict.accepts(answer);
      if (accepted == Answer::kUndecided) {
        accepted = truth().allowed.accepts(exact_answer()) ? Answer::kYes : Answer::kNo;
      }
      tally_.rejected[index] = accepted == Answer::kNo;
    };
    const Index col = strip_.first_col + i;
    if (takes_part(Trivial::kZeros)) {
      offer(Trivial::kZeros, {}, [] { return Point{}; });
    }
    if (takes_part(Trivial::kRowsRotated) && row > 0) {
      offer(Trivial::kRowsRotated, row_before_[i].rounded(),
            [&] { return exact_rounded(row - 1, col); });
    }
    if (takes_part(Trivial::kScaled)) {
      const bool finite =
          !(plan_.terms.any_special() && plan_.terms.is_special(product_, row, col));
      offer(Trivial::kScaled, finite ? scaled_points(plan_.rule, element) : verdict.rounded(),
            [&] { return scaled_answer(plan_.rule, truth()); });
    }
    if (takes_part(Trivial::kPrevious)) {
      const Point answer = previous_answer(product_, row, col);
      offer(Trivial::kPrevious, {true, answer.nan, answer.place, answer.place},
            [&] { return answer; });
    }
  }

  Point exact_rounded(Index row, Index col) const {
    return judge_value(plan_.rule, exact_element(product_, plan_.terms.conversion, row, col))
        .rounded;
  }

  // Row 0 holds the last row's result in the rotated answer.
  void close_rotation() {
    if (!takes_part(Trivial::kRowsRotated)) return;
    const Index last = product_.a.rows - 1;
    if (last == 0) return;  // the exact result itself: accepted, and nothing differs
    const int index = static_cast<int>(Trivial::kRowsRotated);
    for (Index i = 0; i < strip_.cols; ++i) {
      const Index col = strip_.first_col + i;
      const EnclosedVerdict& verdict = first_row_[i];
      const EnclosedVerdict::Points& answer = row_before_[i].rounded();
      Answer different = differ(answer, verdict.rounded());
      if (different == Answer::kUndecided) {
        different = exact_rounded(last, col) == exact_rounded(0, col) ? Answer::kNo : Answer::kYes;
      }
      tally_.judgement.trivial_differs[index] += different == Answer::kYes ? 1 : 0;
      if (tally_.rejected[index]) continue;
      Answer accepted = verdict.accepts(answer);
      if (accepted == Answer::kUndecided) {
        const ExactVerdict truth =
            judge_value(plan_.rule, exact_element(product_, plan_.terms.conversion, 0, col));
        accepted = truth.allowed.accepts(exact_rounded(last, col)) ? Answer::kYes : Answer::kNo;
      }
      tally_.rejected[index] = accepted == Answer::kNo;
    }
  }

  const ProductPlan& plan_;
  const Product& product_;
  const Strip& strip_;
  const JudgeOptions& options_;
  std::array<bool, kTrivialCount> takes_part_;
  Tally& tally_;
  std::vector<EnclosedVerdict> first_row_, row_before_;
};

}  // namespace

ProductPlan plan_product(const Product& product, const Arithmetic& arithmetic,
                         const JudgeOptions& options, Index first_element) {
  ProductPlan plan;
  plan.product = &product;
  plan.first_element = first_element;
  plan.terms = enclosure_terms(product, arithmetic.conversion);
  plan.rule = rule_of(product, arithmetic, plan.terms.a, plan.terms.b, options.exact_input);
  plan.exact_input = options.exact_input;
  plan.with_gauge = !(options.exact_input && plan.terms.exact &&
                      plan.terms.largest_gauge < plan.rule.bound.overflow_from);
  return plan;
}

void judge_strip(const ProductPlan& plan, const Strip& strip, Index block_rows,
                 const JudgeOptions& options, Tally& tally) {
  StripJudge(plan, strip, options, tally).judge(block_rows);
}

}  // namespace assay::oracle
