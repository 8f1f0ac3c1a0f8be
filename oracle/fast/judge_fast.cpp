// Every element by its fp64 enclosure; what that cannot decide goes to the exact oracle.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "oracle/fast/blas.h"
#include "oracle/fast/strip_judge.h"
#include "oracle/float_environment.h"
#include "oracle/judge.h"
#include "src/core/parallel.h"

namespace assay::oracle {
namespace {

std::vector<Strip> split_strips(const std::vector<ProductPlan>& plans, Index strip_cols) {
  std::vector<Strip> strips;
  for (Index index = 0; index < static_cast<Index>(plans.size()); ++index) {
    const Product& product = *plans[index].product;
    if (product.a.rows == 0) { continue; }
    for (Index first = 0; first < product.b.cols; first += strip_cols) {
      strips.push_back({index, first, std::min(strip_cols, product.b.cols - first)});
    }
  }
  return strips;
}

// The worst element's figures come from the exact oracle; the enclosure only found it.
void finish_worst(const std::vector<ProductPlan>& plans, Conversion conversion, Tally& tally) {
  if (!tally.worst) { return; }
  const Witness found = *tally.worst;
  const ProductPlan& plan = plans[found.product];
  const ExactVerdict verdict = judge_value(
      plan.rule,
      exact_element(*plan.product, conversion, found.row, found.col, plan.rule.subnormals));
  Witness witness = witness_of(plan.rule, verdict, plan.product->got.bits(found.row, found.col));
  witness.product = found.product;
  witness.row = found.row;
  witness.col = found.col;
  tally.worst = witness;
}

// Below this many products OpenBLAS starts no thread of its own.
constexpr Index kSerialProducts = Index{1} << 17;

}  // namespace

Judgement judge_fast(std::span<const Product> products, const Arithmetic& arithmetic,
                     const JudgeOptions& options) {
  const DefaultFloatEnvironment environment;
  const auto count = static_cast<Index>(products.size());
  std::vector<ProductPlan> plans(count);
  Index elements = 0, largest = 0, total = 0;
  for (Index index = 0; index < count; ++index) {
    const Product& product = products[index];
    plans[index].index = index;
    plans[index].first_element = elements;
    elements += product.a.rows * product.b.cols;
    const Index products_count = product.a.rows * product.b.cols * product.a.cols;
    largest = std::max(largest, products_count);
    total += products_count;
  }
  if (options.wrong_map != nullptr) { options.wrong_map->assign(elements, 0); }

  const int threads = worthwhile_threads(total, options.threads);
  parallel_for(count, threads, [&](int, Index index) {
    plan_product(products[index], arithmetic, options.exact_input, plans[index]);
  });
  const BlockSize block = block_size(threads);
  const std::vector<Strip> strips = split_strips(plans, block.cols);
  std::vector<Tally> tallies(threads);
  std::vector<StripScratch> scratch(threads);
  std::optional<SingleThreadedBlas> single_threaded;
  if (largest > kSerialProducts) { single_threaded.emplace(); }
  parallel_for(static_cast<Index>(strips.size()), threads, [&](int worker, Index item) {
    if (single_threaded) { SingleThreadedBlas::pin_this_thread(); }
    const Strip& strip = strips[item];
    judge_strip(plans[strip.product], strip, block.rows, options, scratch[worker], tallies[worker]);
  });
  Tally tally;
  for (const Tally& part : tallies) { tally.merge(part); }
  finish_worst(plans, arithmetic.conversion, tally);
  return tally.finish();
}

}  // namespace assay::oracle
