// Topics about kernels and cases.
#include <fmt/format.h>

#include "src/cli/help/topics.h"
#include "src/problem/convention.h"

namespace assay {

std::string_view text_of_cases() {
  return R"(A case is one line of key=value words, in any order:

  pass=fwd in=bf16 out=bf16 k=96 n=64 rows=0,7,128,1 offsets=ends fill=anchored seed=17

The same line is a command's argument, a corpus file, and what reports and
certificates print. pass, k, n and rows are required.

  pass     fwd  Y_g = X_g W_g;  dgrad  dX_g = dY_g W_g^T;  wgrad  dW_g = X_g^T dY_g
  in, out  bf16, fp16, fp32, e4m3, e5m2 (e2m1, int8 as inputs); out may be left out where an
           input has 16 bits or more: it is as the first of these;
           with scales in=e4m3/block128 out=e4m3/tensor; of each operand
           in=x:bf16,w:e2m1/mx (assay help scales)
  acc      times that wgrad adds into C; 0: it overwrites
  bias     none, bf16, fp16 or fp32: fwd adds bias_g [n] to every row of Y_g
  k, n     hidden size and FFN width
  rows     of each expert: 0,7,128,1; value*count; or a generator:
           zipf(1.1,total=4096,experts=64), recorded(FILE,STEP,LAYER)
  offsets  the convention that tells them (assay help offsets)
  told     the convention that the kernel is told, if another one
  pad      every expert begins at a multiple of this row
  cap      rows of each expert's buffer (offsets=masked)
  tail     rows after the last expert
  weights  enk or ekn
  ld       extra elements between rows; x:8,w:0,y:16 for one operand each
  wpitch   extra elements between experts' weights
  scale_pitch  scales of x and y: 0, row by row; else column by column, a multiple of this
           apart (DeepGEMM: 4)
  scale_layout  strided, or 32_4_4: tiles of 128 by 4 blocks, as sm_100 reads them
  scale_starts  where blocks of several rows begin: compact, after the expert's before, or
           aligned, at its first row (pad or cap is a multiple of their rows)
  base     bytes by which base pointers miss 256-byte alignment
  pointers in_order; scattered: experts lie in any order, apart from each other;
           shared: and some have one matrix of weights together (offsets=problems)
  fill     integers, anchored, coded, sparse (exact in every order);
           normal, positive, lognormal, cancelling, special, equal, extreme (real-valued)
  seed     of the values: a pure function of it, the same everywhere
  tactic   one of the kernel's, or default
  exec     plain, graph, streams:N, threads:N

Replaying a failure is pasting its line:

  assay run 'pass=fwd k=1 n=1 rows=0,1' --kernel ./my_kernel.so
  assay shrink 'pass=fwd k=96 n=64 rows=0,7,128,1' --kernel ./my_kernel.so
)";
}

std::string text_of_offsets() {
  std::string text = "For experts of 3, 0 and 5 rows:\n\n";
  for (const Convention convention : kAllConventions) {
    const ConventionTraits& row = traits(convention);
    text +=
        fmt::format("  {:<12} {:<17} {:<24} {}\n", row.name, row.example, row.reading, row.users);
  }
  return text + R"(
Types and places are written behind a colon: indptr:i64, counts:i64:host.

  assay offsets convert --from ends --to indptr 3,3,8
  assay offsets validate --as ends 3,3,8 --rows 8

Handing one convention to a kernel that takes another is itself a case
(offsets=counts told=ends): the finding names the mix-up.
)";
}

std::string_view text_of_bounds() {
  return R"(There is no tolerance. The exact result y of every element is known, and E, the
largest error that the declared arithmetic can make on it, is proved: a function
of the number of terms, the formats, the order of summation, and the element's
gauge S = sum |a||b|. An output is right if it lies between y-E and y+E, both
rounded to the output format. Error over bound says how much of E was used up;
past 1 the kernel does something that it did not declare.

Exact fills (integers, anchored, coded, sparse) leave no room at all: the output
must be the exact result rounded once, bit for bit.

Every verdict is cross-examined: if zeros, rows rotated by one, or the result
scaled by 1.02 would be accepted too, the case is Inconclusive and counts for
nothing. A check without a trusted case has not passed.
)";
}

std::string_view text_of_manifest() {
  return R"(assay_manifest_v1() returns one JSON object. Required: name. What is
declared is tested. Without passes, formats, weights or offsets, what a kernel does is
probed first (assay help probe); any other field that is left out has a default.

  {"name": "my_kernel", "device": "cuda",
   "passes": ["fwd", "dgrad", "wgrad"],
   "formats": [{"in": "bf16", "out": "bf16"}],
   "weights": ["enk"], "offsets": ["ends"],
   "k_multiple": 8, "n_multiple": 8, "base_bytes": 16,
   "deterministic": true, "batch_invariant": false,
   "arithmetic": {"kind": "fma", "order": "ascending"}}

  device           cpu | cuda
  wgrad_formats    where they differ from formats
  accumulate       wgrad can add into an fp32 output
  bias             formats of the bias [experts, n] that fwd can add: ["fp32", "bf16"]
  bias_added       first: the accumulator starts from it; last: it is added to the finished
                   sum in fp32, before the output is rounded
  tactics, tiles   names, and {"name": [rows, columns, reduction]}; default has a tile, too
  base_bytes, ld_multiple    of base pointers, in bytes, and of strides, in elements
  k_multiple, n_multiple     a number, or {"fwd": 8, "dgrad": 64}
  scale_pitches    [0]: scales of x and y row by row; [0, 4]: or column by column, with a
                   pitch that is a multiple of 4
  scale_layouts    ["strided"], "32_4_4"; scale_starts ["compact"], "aligned" (help scales)
  strides          any | dense (no gaps between rows or experts)
  row_multiple     of each expert's first row, and of its rows with their padding
  least_rows, total_rows_multiple    of an expert that has rows; of all rows
  max_experts, max_rows
  compiled_for     those of k, n, experts, rows, strides that a JIT compiles in: a
                   profile then stays within a few shapes
  workspace_bytes  a number, or a formula: "256 + 4 * ceil(rows, tile_m) * experts", of
                   rows, experts, k, n, in_bytes, out_bytes, tile_m, tile_n, tile_k
                   with + - * / % ( ) min max ceil align
  workspace_alignment    a power of two, default 16; the workspace is aligned to no more
  tail_rows, padding_rows    untouched | zeroed | undefined
  padding_input    anything | zeros
  subnormals       kept | ftz | {"inputs": ["bf16"], "outputs": true}: formats whose
                   subnormals become zero; ftz: inputs of 16 bits and more, outputs
                   of fp32 and bf16
  overflow         inf (e4m3: NaN) | saturated | codes_saturated: outputs of 8 bits alone
  conversion       none | tf32_rz | tf32_rna | bf16
  invalid_offsets  refused | flagged | memory_safe | undefined
  stream_ordered, graph_capturable, deterministic, batch_invariant
  arithmetic       kind: fma | tensor_core | int32 | undeclared; order, splits, partials,
                   products_per_step, fraction_bits, out_bits, promotion_interval, scales;
                   integers: int32, beside fma and tensor_core, how products of two int8
                   operands are added; kind int32 says it of a kernel that has no others

The header is src/contract/assay/abi.h, installed as assay/abi.h: plain C99.
)";
}

}  // namespace assay
