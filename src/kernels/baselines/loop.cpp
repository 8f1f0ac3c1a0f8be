// `loop`: one OpenBLAS product an expert, what a framework without a grouped kernel does.
#include "src/kernels/baselines/baselines.h"
#include "src/kernels/baselines/dense_product.h"

namespace assay {
namespace {

constexpr const char* kManifest = R"json({
  "name": "loop",
  "device": "cpu",
  "passes": ["fwd", "dgrad", "wgrad"],
  "formats": [
    {"in": "bf16", "out": "bf16"}, {"in": "bf16", "out": "fp32"},
    {"in": "fp16", "out": "fp16"}, {"in": "fp16", "out": "fp32"},
    {"in": "fp32", "out": "fp32"}
  ],
  "weights": ["enk", "ekn"],
  "offsets": ["ends", "starts:i32", "starts:i64", "indptr:i32", "indptr:i64", "counts:i32:device",
              "counts:i64:host", "row_ids", "masked", "padded_ends", "problems"],
  "accumulate": true,
  "base_bytes": 1,
  "tail_rows": "untouched",
  "padding_rows": "untouched",
  "padding_input": "anything",
  "subnormals": "kept",
  "overflow": "inf",
  "conversion": "none",
  "invalid_offsets": "refused",
  "deterministic": true,
  "batch_invariant": false,
  "arithmetic": {"kind": "fma", "order": "any"}
})json";

struct Buffers {
  DenseMatrix a, b, out;
};

void run_expert(const GroupProduct& product, bool accumulates, Buffers& buffers) {
  if (product.m() == 0 || product.n() == 0 || (accumulates && product.depth() == 0)) {
    return;  // nothing is owned, or C is kept as it is
  }
  widen_into(product.a, product.m(), product.depth(), buffers.a);
  widen_into(product.b, product.depth(), product.n(), buffers.b);
  if (accumulates) {
    widen_into(product.out, product.m(), product.n(), buffers.out);
  } else {
    shape_as(product.out, product.m(), product.n(), buffers.out);
  }
  multiply(buffers.a, buffers.b, accumulates, buffers.out);
  narrow_from(buffers.out, product.out);
}

}  // namespace

const char* loop_manifest() { return kManifest; }

int loop_run(const assay_call* call) {
  CallView view;
  if (const int code = open_call(*call, view); code != ASSAY_OK) {
    return code;
  }
  if (const int code = check_groups(view); code != ASSAY_OK) {
    return code;
  }
  const BlasThreads threads(call->threads);
  Buffers buffers;
  GroupReader reader(view.groups);
  for (Index expert = 0; expert < call->experts; ++expert) {
    run_expert(view.product(expert, reader.next()), view.accumulates(), buffers);
  }
  return ASSAY_OK;
}

}  // namespace assay
