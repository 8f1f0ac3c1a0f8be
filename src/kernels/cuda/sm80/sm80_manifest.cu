#include <string>

#include <cuda_runtime_api.h>

#include "src/kernels/cuda/device_call.h"
#include "src/kernels/cuda/sm80/sm80_kernel.h"

namespace assay {
namespace {

// How one mma.sync adds, which the hardware decides: Ampere and Ada add 8 products at a time, cut
// to 24 fraction bits, Hopper 16 with 25. Hopper's where there is no device.
const char* step_of_current_device() {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) {
    (void)cudaGetLastError();
    device = -1;
  }
  const int capability = device < 0 ? 0 : compute_capability(device);
  return capability >= 80 && capability < 90 ? R"("products_per_step": 8, "fraction_bits": 24)"
                                             : R"("products_per_step": 16, "fraction_bits": 25)";
}

constexpr const char* kPromises = R"json(
  "device": "cuda",
  "least_capability": 80,
  "most_capability": 90,
  "passes": ["fwd", "dgrad", "wgrad"],
  "formats": [
    {"in": "bf16", "out": "bf16"}, {"in": "bf16", "out": "fp32"},
    {"in": "fp16", "out": "fp16"}, {"in": "fp16", "out": "fp32"}
  ],
  "weights": ["enk", "ekn"],
  "offsets": ["ends", "indptr", "indptr:i64", "counts", "counts:i64"],
  "accumulate": true,
  "tactics": ["rows128", "rows64"],
  "tiles": {"rows128": [128, 256, 64], "rows64": [64, 256, 64]},
  "base_bytes": 16,
  "k_multiple": 8,
  "n_multiple": 8,
  "ld_multiple": 8,
  "max_rows": 1073741823,
  "workspace_bytes": 0,
  "padding_rows": "untouched",
  "padding_input": "anything",
  "subnormals": "kept",
  "overflow": "inf",
  "conversion": "none",
  "invalid_offsets": "flagged",
  "stream_ordered": true,
  "graph_capturable": true,
  "deterministic": true,
  "batch_invariant": true,
  "arithmetic": {
    "kind": "tensor_core", )json";
constexpr const char* kEnd = R"json(, "out_bits": 23,
    "order": "ascending"
  }
})json";

std::string manifest_of(const std::string& name, const std::string& tail_rows) {
  return "{\n  \"name\": \"" + name + "\",\n  \"tail_rows\": \"" + tail_rows + "\"," + kPromises +
         step_of_current_device() + kEnd;
}

}  // namespace

const char* sm80_manifest() {
  static const std::string manifest = manifest_of("sm80", "untouched");
  return manifest.c_str();
}

const char* sm80_zero_tail_manifest() {
  static const std::string manifest = manifest_of("sm80+zero_tail", "zeroed");
  return manifest.c_str();
}

}  // namespace assay
