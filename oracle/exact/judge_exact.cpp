// Every element by the exact oracle: the truth that judge_fast is held to.
#include <algorithm>
#include <vector>

#include "oracle/float_environment.h"
#include "oracle/judge.h"
#include "oracle/tally.h"
#include "src/core/parallel.h"

namespace assay::oracle {
namespace {

// Rows [first, last) of one product.
struct RowRange {
  Index product = 0, first = 0, last = 0;
  Index element = 0;  // of the row `first` in the whole case
};

std::vector<RowRange> split_rows(std::span<const Product> products, int threads) {
  std::vector<RowRange> ranges;
  Index element = 0;
  for (Index index = 0; index < static_cast<Index>(products.size()); ++index) {
    const Index rows = products[index].a.rows, cols = products[index].b.cols;
    const Index step = std::max<Index>((rows + threads - 1) / threads, 1);
    for (Index first = 0; first < rows; first += step) {
      ranges.push_back({index, first, std::min(first + step, rows), element + first * cols});
    }
    element += rows * cols;
  }
  return ranges;
}

class RowJudge {
 public:
  RowJudge(const Product& product, Index index, const Rule& rule, const Arithmetic& arithmetic,
           const JudgeOptions& options)
      : product_(product),
        index_(index),
        rule_(rule),
        conversion_(arithmetic.conversion),
        options_(options),
        takes_part_(trivials_of(product, options)) {}

  void judge(const RowRange& range, Tally& tally) {
    const Index rows = product_.a.rows, cols = product_.b.cols;
    std::vector<Point> before(cols), rounded(cols);
    for (Index col = 0; col < cols; ++col) {
      before[col] = verdict_of((range.first + rows - 1) % rows, col).rounded;
    }
    Index element = range.element;
    for (Index row = range.first; row < range.last; ++row) {
      for (Index col = 0; col < cols; ++col, ++element) {
        const ExactVerdict verdict = verdict_of(row, col);
        rounded[col] = verdict.rounded;
        judge_element(verdict, row, col, element, tally);
        cross_examine(verdict, before[col], row, col, tally);
      }
      before.swap(rounded);
    }
  }

 private:
  ExactVerdict verdict_of(Index row, Index col) const {
    return judge_value(rule_, exact_element(product_, conversion_, row, col, rule_.subnormals));
  }

  void judge_element(const ExactVerdict& verdict, Index row, Index col, Index element,
                     Tally& tally) const {
    const std::uint32_t got = product_.got.bits(row, col);
    const bool right = verdict.allowed.accepts(point_of(rule_.format, got));
    Witness witness = witness_of(rule_, verdict, got);
    witness.product = index_;
    witness.row = row;
    witness.col = col;
    ++tally.judgement.elements;
    tally.judgement.wrong += right ? 0 : 1;
    tally.judgement.overflowing |= verdict.overflowing;
    tally.offer_worst(witness);
    if (options_.wrong_map != nullptr) { (*options_.wrong_map)[element] = right ? 0 : 1; }
  }

  void cross_examine(const ExactVerdict& verdict, const Point& row_before, Index row, Index col,
                     Tally& tally) const {
    const auto offer = [&](Trivial trivial, const Point& answer) {
      const int i = static_cast<int>(trivial);
      tally.took_part[i] = true;
      tally.judgement.trivial_differs[i] += answer == verdict.rounded ? 0 : 1;
      tally.rejected[i] |= !verdict.allowed.accepts(answer);
    };
    const auto takes_part = [&](Trivial trivial) { return takes_part_[static_cast<int>(trivial)]; };
    if (takes_part(Trivial::kZeros)) { offer(Trivial::kZeros, {}); }
    if (takes_part(Trivial::kRowsRotated)) { offer(Trivial::kRowsRotated, row_before); }
    if (takes_part(Trivial::kScaled)) { offer(Trivial::kScaled, scaled_answer(rule_, verdict)); }
    if (takes_part(Trivial::kPrevious)) {
      offer(Trivial::kPrevious, previous_answer(product_, row, col));
    }
  }

  const Product& product_;
  Index index_;
  const Rule& rule_;
  Conversion conversion_;
  const JudgeOptions& options_;
  std::array<bool, kTrivialCount> takes_part_;
};

}  // namespace

Judgement judge_exact(std::span<const Product> products, const Arithmetic& arithmetic,
                      const JudgeOptions& options) {
  const DefaultFloatEnvironment environment;
  std::vector<Rule> rules;
  Index elements = 0, products_count = 0;
  for (const Product& product : products) {
    require_consistent(product);
    rules.push_back(rule_of(product, arithmetic, range_of(product.a, arithmetic.conversion),
                            range_of(product.b, arithmetic.conversion), options.exact_input));
    elements += product.a.rows * product.b.cols;
    products_count += product.a.rows * product.b.cols * product.a.cols;
  }
  // The exact oracle takes about thirty times as long as the others.
  const int threads = worthwhile_threads(32 * products_count, options.threads);
  if (options.wrong_map != nullptr) { options.wrong_map->assign(elements, 0); }
  const std::vector<RowRange> ranges = split_rows(products, threads);
  std::vector<Tally> tallies(threads);
  parallel_for(static_cast<Index>(ranges.size()), threads, [&](int worker, Index item) {
    const RowRange& range = ranges[item];
    RowJudge(products[range.product], range.product, rules[range.product], arithmetic, options)
        .judge(range, tallies[worker]);
  });
  Tally total;
  for (const Tally& tally : tallies) { total.merge(tally); }
  return total.finish();
}

}  // namespace assay::oracle
