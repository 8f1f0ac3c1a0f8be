#include "src/kernels/cpu/cpu_kernel.h"

namespace assay {

const char* cpu_manifest() {
  return R"json({
  "name": "cpu",
  "device": "cpu",
  "passes": ["fwd", "dgrad", "wgrad"],
  "formats": [
    {"in": "bf16", "out": "bf16"}, {"in": "bf16", "out": "fp32"},
    {"in": "fp16", "out": "fp16"}, {"in": "fp16", "out": "fp32"},
    {"in": "fp32", "out": "fp32"},
    {"in": "e4m3", "out": "bf16"}, {"in": "e5m2", "out": "fp32"},
    {"in": "e4m3/tensor", "out": "fp32"}, {"in": "e4m3/row", "out": "bf16"},
    {"in": "e4m3/block128", "out": "bf16"}, {"in": "e4m3/block128", "out": "fp32"},
    {"in": "e5m2/mx", "out": "bf16"}, {"in": "e4m3/mx", "out": "fp32"},
    {"in": "x:bf16,w:e4m3/block128", "out": "bf16"},
    {"in": "x:e4m3/1x128,w:e5m2/128x128", "out": "fp32"},
    {"in": "y:fp16,w:e4m3/row", "out": "fp16"}, {"in": "y:e5m2/mx,w:e4m3/mx", "out": "bf16"},
    {"in": "x:e4m3/mx,y:e5m2/mx", "out": "fp32"},
    {"in": "x:bf16,w:e2m1/mx", "out": "bf16"}, {"in": "y:bf16,w:e2m1/mx", "out": "fp32"},
    {"in": "e2m1/1x16:e4m3", "out": "bf16"}, {"in": "x:e4m3/mx,w:e2m1/mx", "out": "fp32"},
    {"in": "e2m1/nv", "out": "fp32"}, {"in": "x:bf16,w:e2m1/nv", "out": "bf16"},
    {"in": "int8", "out": "fp32"}, {"in": "int8/row", "out": "bf16"},
    {"in": "x:bf16,w:int8/row", "out": "bf16"}, {"in": "int8/block128", "out": "bf16"},
    {"in": "bf16", "out": "e4m3/tensor"}, {"in": "e4m3/block128", "out": "e4m3/tensor"},
    {"in": "e4m3/tensor", "out": "e5m2"}
  ],
  "weights": ["enk", "ekn"],
  "offsets": ["ends", "starts", "starts:i64", "indptr", "indptr:i64", "counts", "counts:i64",
              "counts:i64:host", "row_ids", "masked", "padded_ends", "problems"],
  "accumulate": true,
  "tactics": ["rows32", "rows64", "rows128"],
  "tiles": {"rows32": [32, 128, 256], "rows64": [64, 128, 256], "rows128": [128, 128, 256]},
  "base_bytes": 1,
  "scale_pitches": [0, 1],
  "scale_layouts": ["strided", "32_4_4"],
  "scale_starts": ["compact", "aligned"],
  "bias": ["fp32", "bf16", "fp16"],
  "bias_added": "last",
  "workspace_bytes": 65536,
  "tail_rows": "untouched",
  "padding_rows": "untouched",
  "padding_input": "anything",
  "subnormals": "kept",
  "overflow": "codes_saturated",
  "conversion": "none",
  "invalid_offsets": "refused",
  "deterministic": true,
  "batch_invariant": true,
  "arithmetic": {"kind": "fma", "fused": true, "order": "ascending", "scales": "sums",
                 "promotion_interval": 128}
})json";
}

}  // namespace assay
