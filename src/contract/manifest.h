// Manifest: what a kernel declares about itself, read from the JSON of assay_manifest_v1().
// What is declared is tested; what is left out takes the default given here.
//
// The JSON is one object. Required: name. A manifest without passes, formats, weights or offsets is
// incomplete: every one of them is then taken as possible, and what the kernel really does is
// probed (src/probe) before anything is judged. A field that is not listed here is refused.
// Each struct member below is documented with its JSON spelling.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/contract/formula.h"
#include "src/core/error.h"
#include "src/problem/case_spec.h"

namespace assay {

// "untouched" | "zeroed" | "undefined": what happens to output rows that no expert owns.
enum class UnownedRows : std::uint8_t { kUntouched, kZeroed, kUndefined };
// "anything" | "zeros": what padding rows of the inputs must hold.
enum class PaddingInput : std::uint8_t { kAnything, kZeros };
// "refused": the call returns ASSAY_ERROR and writes nothing; "flagged": call->status is set to 1
// on the device; "memory_safe": wrong numbers, no stray access; "undefined": anything.
enum class InvalidOffsets : std::uint8_t { kRefused, kFlagged, kMemorySafe, kUndefined };

// "bias_added": "first", the sum begins with it, as with C; "last", to the whole sum in fp32; left
// out: either.
enum class BiasAdded : std::uint8_t { kUndeclared, kFirst, kLast };

// "arithmetic": {"kind": "fma", "order": "ascending", ...}: how one output element is summed.
// When the kernel accumulates, C is the first term of the sum.
struct DeclaredArithmetic {
  enum class Kind : std::uint8_t { kUndeclared, kFma, kTensorCore, kInt32 };
  // "kind", required: "undeclared" | "fma" (fp32 multiply and add) | "tensor_core" | "int32" (as
  // "integers" has it; other inputs are undeclared)
  Kind kind = Kind::kUndeclared;
  // tensor_core only: "products_per_step" L; "fraction_bits" F, to which aligned terms are
  // truncated; "out_bits", kept after each step
  int products_per_step = 1;
  int fraction_bits = 23;
  int out_bits = 23;
  // fma only: "fused", one rounding a multiply-add
  bool fused = true;
  // "integers": "int32", beside fma and tensor_core: products of two int8 operands are added
  // exactly, modulo 2^32, and each sum is rounded to fp32 once
  bool int32_sums = false;
  // "order": "ascending" (one chain, first k first: the bits are predictable) | "any"
  bool ascending = false;
  // "splits": partial sums of one output, at most; "partials": their format, "fp32" | "fp16" |
  // "bf16"
  int splits = 1;
  std::string partials = "fp32";
  // "promotion_interval": products between promotions to fp32; 0: none. Of fma and int32 for
  // scaled sums.
  int promotion_interval = 0;
  // "scales": "operands" (each code times its scale, rounded to fp32, before the product) |
  // "operands_bf16", "operands_fp16" (and then once more, to this format) | "sums" (a block's sum
  // of codes is added as fma(sum, scale * scale, total)) | "sums_one_by_one" (or as fma(sum * left
  // scale, right scale, total)) | "end" (the whole sum times the left operand's scale, then the
  // right one's); left out: any of them but those of 16 bits
  enum class Scales : std::uint8_t {
    kUndeclared,
    kOperands,
    kSums,
    kEnd,
    kOperandsBf16,
    kOperandsFp16,
    kSumsOneByOne
  };
  Scales scales = Scales::kUndeclared;

  bool is_int32() const { return kind == Kind::kInt32; }
  // Whether codes alone are multiplied: not said, or scales come to their sums.
  bool multiplies_sums() const {
    return scales == Scales::kUndeclared || scales == Scales::kEnd || scales_each_sum();
  }
  // Whether scales come to the sums of blocks.
  bool scales_each_sum() const {
    return scales == Scales::kSums || scales == Scales::kSumsOneByOne;
  }
  // Whether it says every bit of a product without scales.
  bool foretells_bits() const {
    const bool ordered = ascending || is_int32();
    return kind != Kind::kUndeclared && ordered && splits == 1;
  }

  // What scaled operands are rounded to before they are multiplied, where that has 16 bits.
  std::optional<Format> operand_format() const {
    if (scales == Scales::kOperandsBf16) { return Format::kBf16; }
    return scales == Scales::kOperandsFp16 ? std::optional(Format::kFp16) : std::nullopt;
  }
};

// {"in": "bf16", "out": "fp32"}; with scales {"in": "e4m3/block128", "out": "bf16"}; of one pass,
// whose operands it names, {"in": "x:bf16,w:e4m3/row", "out": "bf16"}; into 8 bits, with a scale,
// {"in": "bf16", "out": "e4m3/tensor"}
struct Combination {
  Inputs in;
  Output out;
  std::optional<Pass> pass{};  // whose operands are named; nothing: any pass
  friend bool operator==(const Combination&, const Combination&) = default;
};
// Errors: why the words are refused; empty where they are no formats at all.
Result<Combination> parse_combination(std::string_view in, std::string_view out);
// The inputs as parse_combination reads them.
std::string input_name(const Combination& combination);
// Whether the case has these inputs and this output.
bool is_of(const Combination& combination, const CaseSpec& spec);
void use(const Combination& combination, CaseSpec& spec);

// "tiles": {"rows64": [64, 128, 256]}: output rows, output columns and reduction of one tile of a
// tactic, "default" among them. Generators aim at these borders; nothing else depends on them.
struct DeclaredTile {
  std::string tactic;
  Index m = 0, n = 0, k = 0;
};

// The tile's sizes along the axes of a pass's operands.
AxisSizes tile_along_axes(const DeclaredTile& tile, Pass pass);

// A number that may differ by pass: 8, or {"fwd": 8, "dgrad": 64}, where a pass that is not named
// has 1.
struct MultipleByPass {
  Index fwd = 1, dgrad = 1, wgrad = 1;
  Index operator[](Pass pass) const {
    return pass == Pass::kFwd ? fwd : pass == Pass::kDgrad ? dgrad : wgrad;
  }
  friend bool operator==(const MultipleByPass&, const MultipleByPass&) = default;
};

// "subnormals": "kept" | "ftz" | {"inputs": true or ["bf16", ...], "outputs": likewise}: formats
// whose subnormal operands count as zero, and whose subnormal results become zero. true: every
// format; a key that is left out: none. "ftz" is inputs of 16 bits and more, and outputs of fp32
// and bf16, which is what the flush bits of CPUs and of CUDA do. fp32 among the outputs flushes the
// fp32 sums on the way, too.
struct Subnormals {
  std::vector<Format> flushed_inputs{}, flushed_outputs{};
  bool input_flushed(Format format) const;
  bool output_flushed(Format format) const;
  bool any_flushed() const { return !flushed_inputs.empty() || !flushed_outputs.empty(); }
};

// "compiled_for": ["k", "n", ...]: what a kernel is compiled anew for. Those values are drawn from
// a few shapes that all checks share.
struct CompiledFor {
  bool k = false, n = false, experts = false, rows = false, strides = false;
  bool any() const { return k || n || experts || rows || strides; }
};

// "overflow": "inf" (e4m3: NaN) | "saturated", to the largest finite number | "codes_saturated":
// outputs of 8 bits alone, as cvt.satfinite and cuBLASLt do
enum class Overflow : std::uint8_t { kInf, kSaturated, kCodesSaturated };

struct Manifest {
  std::vector<std::string> declared_fields;  // the ones that the JSON has

  // What it computes.
  std::string name;            // "name"
  std::string device = "cpu";  // "device": "cpu" | "cuda"
  // "least_capability", "most_capability": of the device, 90 for 9.0; cuda only; left out: any
  Index least_capability = 0, most_capability = 0;
  std::vector<Pass> passes;                // "passes": ["fwd", "dgrad", "wgrad"]
  std::vector<Combination> formats;        // "formats": of fwd and dgrad
  std::vector<Combination> wgrad_formats;  // "wgrad_formats"; left out: formats
  std::vector<WeightsLayout> weights;      // "weights": ["enk", "ekn"]
  std::vector<OffsetsKind> offsets;        // "offsets": ["ends", "indptr:i64"], spelt as in a case
  bool accumulate = false;                 // "accumulate": wgrad can add into fp32
  std::vector<Format> bias;                // "bias": ["fp32", "bf16"], that fwd may add, or none
  BiasAdded bias_added = BiasAdded::kUndeclared;  // "bias_added"
  std::vector<std::string> tactics;  // "tactics": besides "default", which always exists
  std::vector<DeclaredTile> tiles;   // "tiles": of some or all tactics

  // What it asks of its operands.
  Index base_bytes = 16;  // "base_bytes": of base pointers, a power of two up to 256
  // "k_multiple", "n_multiple": a number, or an object by pass; then the numbers here suit every
  // pass, and multiple() says what one pass asks
  Index k_multiple = 1, n_multiple = 1;
  std::optional<MultipleByPass> k_multiples{}, n_multiples{};
  // "row_multiple": of each expert's first row, and of the rows from there that are the expert's
  // own or padding
  Index row_multiple = 1;
  Index least_rows = 1;           // "least_rows": of an expert that has rows
  Index total_rows_multiple = 1;  // "total_rows_multiple": of all physical rows
  // "scale_pitches": how scales of x and y may lie: 0, row by row; else column by column, with
  // pitches that are multiples of it
  std::vector<Index> scale_pitches = {0};
  // "scale_layouts": "strided", "32_4_4"; "scale_starts": "compact", "aligned"
  std::vector<ScaleLayout> scale_layouts = {ScaleLayout::kStrided};
  std::vector<ScaleStarts> scale_starts = {ScaleStarts::kCompact};
  Index ld_multiple = 1;       // "ld_multiple": of row strides and expert pitch, in elements
  bool dense_strides = false;  // "strides": "any" | "dense", no gaps between rows or experts
  Index max_experts = 0;       // "max_experts", at least 1; left out: no limit
  Index max_rows = 0;          // "max_rows": physical rows, at least 1; left out: no limit
  // "workspace_bytes": passed in dirty; a number, or a formula of the call (formula.h)
  std::uint64_t workspace_bytes = 0;
  std::optional<Formula> workspace_formula{};
  Index workspace_alignment = 16;  // "workspace_alignment": a power of two up to 4096; no better
  PaddingInput padding_input = PaddingInput::kAnything;  // "padding_input"
  CompiledFor compiled_for{};                            // "compiled_for"

  // What it does.
  UnownedRows tail_rows = UnownedRows::kUntouched;              // "tail_rows"
  UnownedRows padding_rows = UnownedRows::kUntouched;           // "padding_rows"
  InvalidOffsets invalid_offsets = InvalidOffsets::kUndefined;  // "invalid_offsets"
  Subnormals subnormals{};                                      // "subnormals"
  Overflow overflow = Overflow::kInf;                           // "overflow"
  std::string conversion = "none";  // "conversion" of operands: "none" | "tf32_rz" | "tf32_rna" |
                                    // "bf16"
  bool stream_ordered = false;      // "stream_ordered": works in call->stream; cuda only
  bool graph_capturable = false;    // "graph_capturable": needs stream_ordered
  bool deterministic = false;       // "deterministic": the same case gives the same bits
  bool batch_invariant = false;   // "batch_invariant": in fwd and dgrad a row's bits do not depend
                                  // on the other rows; needs deterministic
  DeclaredArithmetic arithmetic;  // "arithmetic"

  std::string declared{};  // the JSON that it was read from, in one line

  bool declares(std::string_view field) const;
  // Of fwd and dgrad, or of wgrad, where they may differ (wgrad_formats empty: they do not).
  std::vector<Combination> formats_of(Pass pass) const;
  bool lists(Pass pass, const Inputs& in, const Output& out) const;
  // The ones with scales, or those without; all where there are none of the kind.
  std::vector<Combination> formats_of(Pass pass, bool scaled) const;
  bool has_scales(Pass pass) const;
  bool saturates(Format out) const {
    return overflow == Overflow::kSaturated ||
           (overflow == Overflow::kCodesSaturated && traits(out).code);
  }
  // What a pass asks of k or n.
  Index multiple(Axis axis, Pass pass) const;
  // What a call of the case is given.
  std::uint64_t workspace_of(const CaseSpec& spec) const;
  // What it computes is declared: passes, formats, weights and offsets.
  bool is_complete() const;
};

// Errors: not JSON (line and column), unknown or repeated field, wrong type, contradiction
// (batch_invariant without deterministic, max_experts below 1, ...): one line that quotes the field
// and names what is allowed.
Result<Manifest> parse_manifest(std::string_view json);

// Why the manifest excludes a case, or nothing: the reason of an Unsupported verdict.
std::optional<std::string> exclusion(const Manifest& manifest, const CaseSpec& spec);
// The same where only offsets in the operands' memory tell: a kernel may answer such a case
// without a look at them, and what it answers is judged by nobody.
std::optional<std::string> exclusion_by_offsets(const Manifest& manifest, const CaseSpec& spec);

}  // namespace assay
