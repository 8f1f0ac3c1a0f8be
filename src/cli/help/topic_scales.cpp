// `assay help scales`.
#include "src/cli/help/topics.h"

namespace assay {
namespace {

constexpr std::string_view kRecipes =
    R"(Inputs in e4m3, e5m2, e2m1 and int8 may have scales: the element is code times scale.

  pass=fwd in=e4m3/block128 out=bf16 k=512 n=256 rows=100,0,31

A block of codes shares a scale. It is so many elements across (output rows of the left
operand, output columns of the right one) by so many along the reduction, counted from
each expert's first row; the last block may be short, and `all` is the whole axis.

  tensor     all x all    all x all    fp32   one for all rows; one for an expert's weights
  row        1 x all      1 x all      fp32   torch scaled_grouped_mm, MSLK
  block128   1 x 128      128 x 128    fp32   DeepSeek, DeepGEMM; in wgrad 1 x 128 twice
  mx         1 x 32       1 x 32       e8m0   OCP MX
  nv         1 x 16       1 x 16       e4m3   NVFP4; and one of fp32 a tensor, see below
  1x64,64x64:fp32         any others; formats fp32, e8m0, e4m3

The inputs may differ in format, and in whether they have scales. Then they are named, as
the pass reads them: x and w in fwd, y and w in dgrad, x and y in wgrad.

  in=x:bf16,w:e4m3/128x128   8-bit weights beside 16-bit activations
  in=y:e5m2/mx,w:e4m3/mx     gradients of a wider range
  in=x:bf16,w:e2m1/mx        4-bit weights; e2m1 is 0 .5 1 1.5 2 3 4 6 and a sign, two
                             codes a byte along the contiguous axis, the low half first:
                             that axis, ld and wpitch are even

Exact fills have powers of two for scales, others in neighbouring blocks and experts, and
codes that are smaller by as much: code times scale is the integer. A scale that is left
out, or another block's, changes the result. Codes of e2m1 and int8 cannot be smaller:
there the integers grow with their scales. fill=normal has what a quantiser makes of
normal numbers: a block's largest magnitude over the largest code is its scale, codes are
rounded to nearest even. No scale is negative; those of rows that no expert owns are NaN.

A manifest lists them as {"in": "e4m3/block128", "out": "bf16"}; one that names operands,
{"in": "x:bf16,w:e2m1/mx", "out": "bf16"}, belongs to the pass that reads these. Its
arithmetic says where scales are multiplied in: "scales": "operands" (code * scale, rounded
to fp32), "operands_bf16" or "operands_fp16" (and then rounded once more, to 16 bits),
"sums" (a sum of codes, begun anew at each border of a block and every promotion_interval
products, is added as fma(sum, scale * scale, total)), "sums_one_by_one" (the same as
fma(sum * left scale, right scale, total)) or "end" (the whole sum times the left operand's
scale, then the right one's). Left out: the bound holds for all of these but the ones that
round to 16 bits, which fail unless they are declared, and no bits are foretold. Sums of
integers ("kind" or "integers": "int32") take all but the operands'.

)";

constexpr std::string_view kPlaces =
    R"(Scales of x and y lie row by row, or column by column with scale_pitch=4: columns of the
grid one after another, their pitch the rows rounded up to a multiple of 4, as kernels that
load a box of rows want them. A manifest that takes both has "scale_pitches": [0, 4].

With scale_layout=32_4_4 each expert has a grid of blocks, across the output by along the
reduction, padded to multiples of 128 and 4 and stored in tiles of these (cuBLAS, CUTLASS and
torch on sm_100); w has them, too. "scale_layouts": ["strided", "32_4_4"] takes both. Where a
block has several rows of x or y, as in wgrad, an expert's blocks follow those of the expert
before: scale_starts=compact; with scale_starts=aligned they lie where its rows do, at its
first row over the rows of a block, and every expert begins at a multiple of these:
"scale_starts": ["compact", "aligned"]. Scales of padding are NaN, or 1 for a kernel with
"padding_input": "zeros".

)";

constexpr std::string_view kOutputScale =
    R"(An output of 8 bits may have one scale in fp32: out=e4m3/tensor stores scale * sum, rounded
once, as static quantisation does (cuBLASLt's scale of D). There is one for all of x or y, and
one for each expert's w. It multiplies the finished sum in fp32, whatever "scales" says. A
kernel that converts with cvt.satfinite declares "overflow": "codes_saturated". Accumulation
needs an output in fp32.

  pass=fwd in=bf16 out=e4m3/tensor k=512 n=256 rows=100,0,31

)";

constexpr std::string_view kTensorScales =
    R"(nv has a second scale in fp32, one for all of x or y and one for each expert's w: an element
is code * scale * tensor scale. "operands" rounds that to fp32 once. With "sums" the total of
an output begins with zero, and is added to C as fma(total, tensor scale * tensor scale, C);
with "sums_one_by_one" as fma(total * left tensor scale, right tensor scale, C). "end" says
nothing of it: then no bits are foretold.

A kernel finds them in x_scale, w_scale, y_scale and x_tensor_scale, w_tensor_scale,
y_tensor_scale of assay/abi.h (call.x_scale in Python).
)";

}  // namespace

std::string text_of_scales() {
  std::string text{kRecipes};
  text += kPlaces;
  text += kOutputScale;
  text += kTensorScales;
  return text;
}

}  // namespace assay
