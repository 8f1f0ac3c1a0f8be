// `loop`: one OpenBLAS product an expert, what a framework without a grouped kernel does.
#include "src/kernels/baselines/baselines.h"
#include "src/kernels/baselines/dense_product.h"

namespace assay {

const char* loop_manifest() {
  static const std::string text = baseline_manifest("loop");
  return text.c_str();
}

int loop_run(const assay_call* call) {
  CallView view;
  if (const int code = open_call(*call, view); code != ASSAY_OK) { return code; }
  if (const int code = check_groups(view); code != ASSAY_OK) { return code; }
  return run_guarded(*call, [&] {
    DenseBuffers buffers;
    GroupReader reader(view.groups);
    for (Index expert = 0; expert < call->experts; ++expert) {
      const GroupProduct product = view.scaled_product(expert, reader.next());
      run_dense(product, product.m(), product.depth(), view.accumulates(), buffers);
    }
  });
}

}  // namespace assay
