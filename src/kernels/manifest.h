// Manifest: what a kernel declares about itself, read from the JSON of assay_manifest_v1().
// What is declared is tested; what is left out takes the default given here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/error.h"
#include "src/problem/case_spec.h"

namespace assay {

enum class Untouched : std::uint8_t { kUntouched, kZeroed, kUndefined };  // tail and padding rows of the output
enum class PaddingInput : std::uint8_t { kAnything, kZeros };
enum class InvalidOffsets : std::uint8_t { kRefused, kFlagged, kMemorySafe, kUndefined };
enum class Misaligned : std::uint8_t { kRight, kRefused };

// JSON `"arithmetic": {"kind": "fma", "order": "ascending", ...}`.
struct DeclaredArithmetic {
  enum class Kind : std::uint8_t { kUndeclared, kFma, kTensorCore };
  Kind kind = Kind::kUndeclared;   // "fma": fp32 multiply-adds, fused or not; "tensor_core"
  int products_per_step = 1;       // L
  int fraction_bits = 23;          // F: aligned terms are truncated to this many bits
  int out_bits = 23;               // bits kept after each step
  bool fused = true;               // fma: explicit fused multiply-add
  bool ascending = false;          // k order is ascending: bits are predictable
  int splits = 1;                  // partial sums of one output, at most
  std::string partials = "fp32";   // format of partial sums
  int promotion_interval = 0;      // fp8: products between promotions to fp32; 0: none
};

struct Combination {
  Format in;
  Format out;
  friend bool operator==(const Combination&, const Combination&) = default;
};

struct Manifest {
  std::string name;
  std::string device = "cpu";  // "cpu" | "cuda"
  std::vector<Pass> passes;
  std::vector<Combination> formats;            // fwd, dgrad
  std::vector<Combination> wgrad_formats;      // default: formats
  std::vector<WeightsLayout> weights;
  std::vector<OffsetsKind> offsets;
  bool accumulate = false;                     // wgrad into fp32
  std::vector<std::string> tactics;            // "default" is always one more
  Index base_bytes = 16;                       // alignment of base pointers
  Index k_multiple = 1, n_multiple = 1, row_multiple = 1;
  Index ld_multiple = 1;                       // elements
  Index max_experts = 0, max_rows = 0;         // 0: no limit
  std::uint64_t workspace_bytes = 0;
  Untouched tail_rows = Untouched::kUntouched;
  Untouched padding_rows = Untouched::kUntouched;
  PaddingInput padding_input = PaddingInput::kAnything;
  bool flushes_subnormals = false;
  bool saturates = false;                      // overflow: max finite instead of infinity
  std::string conversion = "none";             // none | tf32_rz | tf32_rna | bf16
  InvalidOffsets invalid_offsets = InvalidOffsets::kUndefined;
  bool stream_ordered = false, graph_capturable = false;
  bool deterministic = false, batch_invariant = false;
  DeclaredArithmetic arithmetic;
};

// Errors: not JSON (line and column), unknown or repeated field, wrong type, contradiction (batch_invariant without
// deterministic, max_experts below 1, ...): one line that quotes the field and names what is allowed.
Result<Manifest> parse_manifest(std::string_view json);

// Why the manifest excludes a case, or nothing: the reason of a Refused verdict.
std::optional<std::string> exclusion(const Manifest& manifest, const CaseSpec& spec);

}  // namespace assay
