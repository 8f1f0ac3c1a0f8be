#include <string>

#include "src/kernels/cuda/sm90/sm90_kernel.h"

namespace assay {
namespace {

constexpr const char* kPromises = R"json(
  "device": "cuda",
  "least_capability": 90,
  "most_capability": 90,
  "passes": ["fwd", "dgrad", "wgrad"],
  "formats": [
    {"in": "bf16", "out": "bf16"}, {"in": "bf16", "out": "fp32"},
    {"in": "fp16", "out": "fp16"}, {"in": "fp16", "out": "fp32"}
  ],
  "weights": ["enk", "ekn"],
  "offsets": ["ends", "indptr", "indptr:i64", "counts", "counts:i64"],
  "accumulate": true,
  "tactics": ["tall", "few", "plain"],
  "tiles": {"tall": [256, 128, 64], "few": [64, 128, 64], "plain": [128, 256, 64]},
  "base_bytes": 16,
  "k_multiple": 8,
  "n_multiple": 8,
  "ld_multiple": 8,
  "max_rows": 1073741823,
  "workspace_bytes": 256,
  "workspace_alignment": 256,
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
    "kind": "tensor_core", "products_per_step": 16, "fraction_bits": 25, "out_bits": 23,
    "order": "ascending"
  }
})json";

std::string manifest_of(const std::string& name, const std::string& tail_rows) {
  return "{\n  \"name\": \"" + name + "\",\n  \"tail_rows\": \"" + tail_rows + "\"," + kPromises;
}

}  // namespace

const char* sm90_manifest() {
  static const std::string manifest = manifest_of("sm90", "untouched");
  return manifest.c_str();
}

const char* sm90_zero_tail_manifest() {
  static const std::string manifest = manifest_of("sm90+zero_tail", "zeroed");
  return manifest.c_str();
}

}  // namespace assay
