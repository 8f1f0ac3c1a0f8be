// The bias of a call: bias[g] is added to every output row of expert g.
#include "src/kernels/call_view.h"
#include "src/problem/case_spec.h"

namespace assay {
int open_bias(CallView& view) {
  const assay_call& call = *view.call;
  const assay_tensor* tensor = call.bias;
  if (tensor == nullptr) { return ASSAY_OK; }
  if (call.pass != ASSAY_FWD || call.y_scale != nullptr) {
    return answer(call, ASSAY_UNSUPPORTED, "adds a bias in fwd alone, to outputs without a scale");
  }
  if (!format_of(tensor->dtype, view.bias_format) || !is_bias_format(view.bias_format)) {
    return answer(call, ASSAY_UNSUPPORTED, "takes a bias in bf16, fp16 or fp32");
  }
  if (tensor->ndim != 2 || tensor->shape[0] != call.experts || tensor->shape[1] != call.n) {
    return answer(call, ASSAY_ERROR, "bias has not the shape [experts, n]");
  }
  const Index size = element_bytes(view.bias_format);
  view.bias = {static_cast<std::byte*>(tensor->data) + tensor->byte_offset, call.experts, call.n,
               tensor->strides[0] * size, tensor->strides[1] * size};
  return ASSAY_OK;
}

Bias CallView::bias_of(Index expert) const {
  if (bias.data == nullptr) { return {}; }
  return {bias.address(expert, 0), bias.col_stride, bias_format};
}

}  // namespace assay
