#include "oracle/element_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::oracle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

void plan_product(const Product& product, const Arithmetic& arithmetic, bool exact_input,
                  ProductPlan& plan) {
  require_consistent(product);
  plan.product = &product;
  plan.terms = enclosure_terms(product, arithmetic.conversion, arithmetic.subnormals);
  plan.rule = rule_of(product, arithmetic, plan.terms.a, plan.terms.b, exact_input);
  plan.with_gauge = !(exact_input && plan.terms.exact &&
                      plan.terms.largest_gauge < plan.rule.bound.overflow_from);
}

ElementJudge::ElementJudge(const ProductPlan& plan, Index first_col, const JudgeOptions& options,
                           Tally& tally)
    : plan_(plan),
      product_(*plan.product),
      first_col_(first_col),
      options_(options),
      takes_part_(trivials_of(product_, options)),
      tally_(tally) {
  for (int i = 0; i < kTrivialCount; ++i) { tally_.took_part[i] |= takes_part_[i]; }
}

ElementJudge::Subject ElementJudge::subject_at(const RowView& view, Index i) const {
  const EnclosureTerms& terms = plan_.terms;
  Subject subject{.row = view.row, .col = first_col_ + i};
  const double* gauge = view.gauge == nullptr ? nullptr : view.gauge + i;
  subject.element = enclose(terms, view.y[i], gauge);
  subject.special = terms.any_special() && terms.is_special(product_, view.row, subject.col);
  subject.verdict =
      subject.special ? EnclosedVerdict::special(
                            plan_.rule, special_value(product_, terms, view.row, subject.col),
                            subject.element.gauge_high, terms.meets_flushed(view.row, subject.col))
                      : EnclosedVerdict(plan_.rule, subject.element);
  return subject;
}

const ExactVerdict& ElementJudge::truth(Subject& subject) {
  if (!subject.exact) {
    subject.exact =
        judge_value(plan_.rule, exact_element(product_, plan_.terms.conversion, subject.row,
                                              subject.col, plan_.rule.subnormals));
    ++tally_.judgement.escalated;
  }
  return *subject.exact;
}

void ElementJudge::judge(const RowView& view, const RowView* before, Index i) {
  Subject subject = subject_at(view, i);
  judge_output(subject);
  if (takes_part(Trivial::kZeros)) {
    cross_examine(subject, Trivial::kZeros, {}, [] { return Point{}; });
  }
  if (takes_part(Trivial::kRowsRotated) && before != nullptr) {
    Subject above = subject_at(*before, i);
    cross_examine(subject, Trivial::kRowsRotated, above.verdict.rounded(),
                  [&] { return truth(above).rounded; });
  }
  if (takes_part(Trivial::kScaled)) {
    cross_examine(
        subject, Trivial::kScaled,
        subject.special ? subject.verdict.rounded() : scaled_points(plan_.rule, subject.element),
        [&] { return scaled_answer(plan_.rule, truth(subject)); });
  }
  if (takes_part(Trivial::kPrevious)) {
    const Point answer = previous_answer(product_, subject.row, subject.col);
    cross_examine(subject, Trivial::kPrevious, {answer.nan, answer.place, answer.place},
                  [&] { return answer; });
  }
}

void ElementJudge::judge_rotated(const RowView& view, const RowView& before, Index i) {
  Subject subject = subject_at(view, i), above = subject_at(before, i);
  cross_examine(subject, Trivial::kRowsRotated, above.verdict.rounded(),
                [&] { return truth(above).rounded; });
}

void ElementJudge::judge_output(Subject& subject) {
  const Point got = point_of(plan_.rule.format, product_.got.bits(subject.row, subject.col));
  Answer accepted = subject.verdict.accepts(got);
  if (accepted == Answer::kUndecided) {
    accepted = truth(subject).allowed.accepts(got) ? Answer::kYes : Answer::kNo;
  }
  if (subject.verdict.may_overflow()) {
    tally_.judgement.overflowing |= truth(subject).overflowing;
  }
  const bool right = accepted == Answer::kYes;
  count(subject.row, subject.col - first_col_, right);
  offer_ratio(subject.row, subject.col - first_col_, ratio(subject, got, right), right);
}

template <class ExactAnswer>
void ElementJudge::cross_examine(Subject& subject, Trivial trivial,
                                 const EnclosedVerdict::Points& answer,
                                 const ExactAnswer& exact_answer) {
  const int index = static_cast<int>(trivial);
  Answer different = differ(answer, subject.verdict.rounded());
  if (different == Answer::kUndecided) {
    different = exact_answer() == truth(subject).rounded ? Answer::kNo : Answer::kYes;
  }
  tally_.judgement.trivial_differs[index] += different == Answer::kYes ? 1 : 0;
  if (tally_.rejected[index]) { return; }
  Answer accepted = subject.verdict.accepts(answer);
  if (accepted == Answer::kUndecided) {
    accepted = truth(subject).allowed.accepts(exact_answer()) ? Answer::kYes : Answer::kNo;
  }
  tally_.rejected[index] = accepted == Answer::kNo;
}

double ElementJudge::ratio(const Subject& subject, const Point& got, bool right) const {
  const Format format = plan_.rule.format;
  const Place infinite = infinite_place(format);
  if (subject.special || got.nan) { return right ? 0 : kInfinity; }
  const double y = subject.element.y_low / 2 + subject.element.y_high / 2;
  double error = 0;
  if (got.place > -infinite) { error = std::max(error, midpoint_above(format, got.place - 1) - y); }
  if (got.place < infinite) { error = std::max(error, y - midpoint_above(format, got.place)); }
  const double bound = plan_.rule.bound.at(subject.element.gauge_high);
  // A flushed result says nothing of how far sums may lie off.
  if (right && got.place == 0 && plan_.rule.flushes_output() && !(error <= bound)) { return 0; }
  return bound > 0 ? error / bound : error > 0 ? kInfinity : 0;
}

void ElementJudge::count(Index row, Index i, bool right) {
  ++tally_.judgement.elements;
  if (right) { return; }
  ++tally_.judgement.wrong;
  if (options_.wrong_map == nullptr) { return; }
  (*options_.wrong_map)[plan_.first_element + row * product_.b.cols + first_col_ + i] = 1;
}

void ElementJudge::offer_ratio(Index row, Index i, double ratio, bool right) {
  Witness witness{.product = plan_.index, .row = row, .col = first_col_ + i};
  witness.ratio = right ? std::min(ratio, 1.0) : std::max(ratio, std::nextafter(1.0, 2.0));
  tally_.offer_worst(witness);
}

}  // namespace assay::oracle
