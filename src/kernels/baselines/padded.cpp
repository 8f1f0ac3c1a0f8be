// `padded`: the capacity-padded batch. Every product has the shape of the largest expert's: fwd and
// dgrad compute rows that nobody owns and drop them, wgrad sums zeros at the end of its reduction.
// The batch's operands would be [experts, capacity, k]; one slice of them is in memory at a time.
#include <algorithm>

#include "src/kernels/baselines/baselines.h"
#include "src/kernels/baselines/dense_product.h"

namespace assay {
namespace {

Index largest_count(const CallView& view) {
  GroupReader reader(view.groups);
  Index largest = 0;
  for (Index expert = 0; expert < view.call->experts; ++expert) {
    largest = std::max(largest, reader.next().count);
  }
  return largest;
}

}  // namespace

const char* padded_manifest() {
  static const std::string text = baseline_manifest("padded");
  return text.c_str();
}

int padded_run(const assay_call* call) {
  CallView view;
  if (const int code = open_call(*call, view); code != ASSAY_OK) { return code; }
  if (const int code = check_groups(view); code != ASSAY_OK) { return code; }
  return run_guarded(*call, [&] {
    const Index capacity = largest_count(view);
    DenseBuffers buffers;
    GroupReader reader(view.groups);
    for (Index expert = 0; expert < call->experts; ++expert) {
      const GroupProduct product = view.scaled_product(expert, reader.next());
      const Index m = view.is_wgrad() ? product.m() : capacity;
      const Index depth = view.is_wgrad() ? capacity : product.depth();
      run_dense(product, m, depth, view.accumulates(), buffers);
    }
  });
}

}  // namespace assay
