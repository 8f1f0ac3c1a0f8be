#include "oracle/fast/strip_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "oracle/element_lines.h"

namespace assay::oracle {
namespace {

// Equal to no number of any format.
constexpr double kNoNumber = 0x1p900;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class StripJudge {
 public:
  StripJudge(const ProductPlan& plan, const Strip& strip, const JudgeOptions& options,
             StripScratch& scratch, Tally& tally)
      : plan_(plan),
        product_(*plan.product),
        strip_(strip),
        options_(options),
        screen_(screen_rule(plan.rule, plan.terms)),
        scratch_(scratch),
        tally_(tally),
        judge_(plan, strip.first_col, options, tally) {
    for (std::vector<double>* buffer :
         {&scratch.got_low, &scratch.got_high, &scratch.pad, &scratch.status, &scratch.scaled,
          &scratch.previous, &scratch.zeros, &scratch.rounded[0], &scratch.rounded[1]}) {
      if (static_cast<Index>(buffer->size()) < strip.cols) { buffer->resize(strip.cols); }
    }
    if (static_cast<Index>(scratch.got.size()) < strip.cols) { scratch.got.resize(strip.cols); }
    rounded_ = scratch.rounded[0].data();
    rounded_before_ = scratch.rounded[1].data();
  }

  void judge(Index block_rows) {
    const Index rows = product_.a.rows;
    for (Index first = 0; first < rows; first += block_rows) {
      const Extent extent{first, std::min(block_rows, rows - first), strip_.first_col, strip_.cols};
      const Block block = scratch_.maker.make(product_, plan_.terms, plan_.with_gauge, extent);
      for (Index row = 0; row < extent.rows; ++row) {
        const Index start = row * strip_.cols;
        judge_row(
            {first + row, block.y + start, block.gauge == nullptr ? nullptr : block.gauge + start});
      }
      // The next block overwrites this one.
      before_ = keep(before_, scratch_.last_y, scratch_.last_gauge);
    }
    close_rotation();
  }

 private:
  RowView keep(const RowView& view, std::vector<double>& y, std::vector<double>& gauge) const {
    y.assign(view.y, view.y + strip_.cols);
    if (view.gauge != nullptr) { gauge.assign(view.gauge, view.gauge + strip_.cols); }
    return {view.row, y.data(), view.gauge == nullptr ? nullptr : gauge.data()};
  }

  void judge_row(const RowView& view) {
    const RowView* before = view.row == 0 ? nullptr : &before_;
    if (plan_.terms.a_rows.any(view.row)) {
      std::fill_n(rounded_, strip_.cols, kNan);
      for (Index i = 0; i < strip_.cols; ++i) { judge_.judge(view, before, i); }
    } else {
      screen(view);
      if (!options_.skip_trivial) { screen_trivial(view, before); }
      settle(view, before);
    }
    if (view.row == 0) {
      first_ = keep(view, scratch_.first_y, scratch_.first_gauge);
      scratch_.first_rounded.assign(rounded_, rounded_ + strip_.cols);
    }
    before_ = view;
    std::swap(rounded_, rounded_before_);
  }

  const double* gauge_of(const RowView& view) const {
    return view.gauge == nullptr ? scratch_.zeros.data() : view.gauge;
  }

  // Fills status, pad and rounded with what the screen knows of the row.
  void screen(const RowView& view) {
    const Index cols = strip_.cols;
    const int size_bytes = shape(product_.got.format).size_bytes;
    screen_got(screen_, contiguous_outputs(view.row), size_bytes, cols, scratch_.got_low.data(),
               scratch_.got_high.data());
    screen_pad(screen_, view.y, gauge_of(view), cols, scratch_.pad.data());
    row_ = {.count = cols,
            .y = view.y,
            .gauge = gauge_of(view),
            .got_low = scratch_.got_low.data(),
            .got_high = scratch_.got_high.data(),
            .worst_ratio = tally_.worst ? tally_.worst->ratio : -1,
            .pad = scratch_.pad.data(),
            .status = scratch_.status.data()};
    screen_outputs(screen_, row_);
    leave_flushed_open();
    if (!options_.skip_trivial) {
      screen_rounding(screen_, view.y, row_.pad, cols, 1, rounded_);
      screen_unknown(rounded_, cols, row_.status);
    }
    leave_special_open(view.row);
  }

  const char* contiguous_outputs(Index row) {
    const Matrix& got = product_.got;
    const char* address = got.address(row, strip_.first_col);
    const auto size_bytes = static_cast<std::uintptr_t>(shape(got.format).size_bytes);
    if (got.col_stride == 1 && reinterpret_cast<std::uintptr_t>(address) % size_bytes == 0) {
      return address;
    }
    char* copy = reinterpret_cast<char*>(scratch_.got.data());
    for (Index i = 0; i < strip_.cols; ++i) {
      store(got.format, copy + i * shape(got.format).size_bytes,
            got.bits(row, strip_.first_col + i));
    }
    return copy;
  }

  // The trivial answers, each of which takes part where the screen is sure of every one.
  void screen_trivial(const RowView& view, const RowView* before) {
    const Index cols = strip_.cols;
    const auto each_answer = [&](const auto& use) {
      if (judge_.takes_part(Trivial::kScaled)) { use(Trivial::kScaled, scratch_.scaled.data()); }
      if (judge_.takes_part(Trivial::kPrevious)) {
        use(Trivial::kPrevious, scratch_.previous.data());
      }
      if (judge_.takes_part(Trivial::kRowsRotated) && before != nullptr) {
        use(Trivial::kRowsRotated, rounded_before_);
      }
      if (judge_.takes_part(Trivial::kZeros)) { use(Trivial::kZeros, scratch_.zeros.data()); }
    };
    if (judge_.takes_part(Trivial::kScaled)) {
      screen_rounding(screen_, view.y, row_.pad, cols, kScaledFactor, scratch_.scaled.data());
    }
    if (judge_.takes_part(Trivial::kPrevious)) { load_previous(view.row); }
    each_answer([&](Trivial trivial, const double* answer) {
      screen_unknown(answer, cols, row_.status);
      bool& rejected = tally_.rejected[static_cast<int>(trivial)];
      // One element that rejects it is enough.
      if (!rejected) { rejected = screen_answer(screen_, row_, answer); }
    });
    each_answer([&](Trivial trivial, const double* answer) {
      tally_.judgement.trivial_differs[static_cast<int>(trivial)] +=
          screen_different(answer, rounded_, row_.status, cols);
    });
  }

  void load_previous(Index row) {
    const Matrix& previous = product_.previous;
    const bool plain = previous.format == plan_.rule.format;
    for (Index first = 0; first < strip_.cols; first += kElementChunk) {
      const Index count = std::min(kElementChunk, strip_.cols - first);
      float values[kElementChunk] = {};
      const ElementLine line{previous.format, previous.address(row, strip_.first_col + first),
                             previous.col_stride, count};
      if (plain) { read_elements(line, values); }
      for (Index i = 0; i < count; ++i) {
        // NaN reads as an infinity.
        const bool as_read = plain && std::isfinite(values[i]);
        scratch_.previous[first + i] = as_read ? values[i] : previous_number(row, first + i);
      }
    }
  }

  double previous_number(Index row, Index i) const {
    const Point answer = previous_answer(product_, row, strip_.first_col + i);
    const Format format = plan_.rule.format;
    const bool infinite = std::abs(answer.place) == infinite_place(format);
    const double value =
        infinite ? HUGE_VAL : to_double(format, bits_at(format, std::abs(answer.place)));
    return answer.nan ? kNoNumber : answer.place < 0 ? -value : value;
  }

  void settle(const RowView& view, const RowView* before) {
    const double* status = row_.status;
    if (view.row == 0) { judge_.offer_ratio(0, 0, 0, status[0] != kScreenWrong); }
    Index others = 0;
    for (Index i = 0; i < strip_.cols; ++i) { others += status[i] != kScreenRight ? 1 : 0; }
    if (others == 0) { tally_.judgement.elements += strip_.cols; }
    for (Index i = 0; others != 0 && i < strip_.cols; ++i) {
      if (status[i] == kScreenUndecided) {
        judge_.judge(view, before, i);
      } else {
        judge_.count(view.row, i, status[i] == kScreenRight);
      }
    }
    if (!row_.beats_worst) { return; }
    for (Index i = 0; i < strip_.cols; ++i) {
      if (status[i] == kScreenUndecided) { continue; }
      const double y = view.y[i];
      const double distance = std::max({scratch_.got_low[i] - y, y - scratch_.got_high[i], 0.0});
      const double bound = plan_.rule.bound.at(row_.gauge[i] * screen_.gauge_up);
      const double ratio = bound > 0 ? distance / bound : distance > 0 ? HUGE_VAL : 0;
      if (tally_.worst && !(ratio > tally_.worst->ratio)) { continue; }
      judge_.offer_ratio(view.row, i, ratio, status[i] == kScreenRight);
    }
  }

  // A zero may stand for a subnormal result, of which the screen knows nothing.
  void leave_flushed_open() {
    for (Index i = 0; plan_.rule.flushes_output() && i < strip_.cols; ++i) {
      const bool zero = scratch_.got_low[i] < 0 && scratch_.got_high[i] > 0;
      if (zero && row_.status[i] == kScreenWrong) { row_.status[i] = kScreenUndecided; }
    }
  }

  // Of a result that is not finite the screen has only the finite terms.
  void leave_special_open(Index row) {
    for (Index i = 0; plan_.terms.any_special() && i < strip_.cols; ++i) {
      if (!plan_.terms.is_special(product_, row, strip_.first_col + i)) { continue; }
      row_.status[i] = kScreenUndecided;
      rounded_[i] = kNan;
    }
  }

  // Row 0 holds the last row's result in the rotated answer.
  void close_rotation() {
    const Index last = product_.a.rows - 1;
    // One row is the exact result itself: accepted, and nothing differs.
    if (!judge_.takes_part(Trivial::kRowsRotated) || last == 0) { return; }
    const int index = static_cast<int>(Trivial::kRowsRotated);
    const double* rounded = scratch_.first_rounded.data();
    for (Index i = 0; i < strip_.cols; ++i) {
      const double answer = rounded_before_[i];
      const bool known = rounded[i] == rounded[i] && answer == answer;
      if (known && tally_.rejected[index]) {
        tally_.judgement.trivial_differs[index] += rounded[i] != answer ? 1 : 0;
      } else {
        judge_.judge_rotated(first_, before_, i);
      }
    }
  }

  const ProductPlan& plan_;
  const Product& product_;
  const Strip& strip_;
  const JudgeOptions& options_;
  ScreenRule screen_;
  StripScratch& scratch_;
  Tally& tally_;
  ElementJudge judge_;
  ScreenRow row_;
  RowView first_, before_;
  double* rounded_ = nullptr;
  double* rounded_before_ = nullptr;
};

}  // namespace

void judge_strip(const ProductPlan& plan, const Strip& strip, Index block_rows,
                 const JudgeOptions& options, StripScratch& scratch, Tally& tally) {
  StripJudge(plan, strip, options, scratch, tally).judge(block_rows);
}

}  // namespace assay::oracle
