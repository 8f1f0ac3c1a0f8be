"""The kernels that are judged: where each plug-in lies, and what its own documentation says."""

from field_peers import FIELD_PEERS
from peer import Peer

GROUPED_MM = (
    "`torch.nn.functional.grouped_mm`, docstring: operands are expected to be bfloat16 on CUDA of "
    "compute capability 8.0 and more.",
    "The same: offsets are int32 ends, and the last one must be strictly less than the length of "
    "the dimension that is cut; elements beyond it are ignored. What output rows beyond it hold is "
    "not said.",
    "The same: `out_dtype=torch.float32` is offered for bfloat16 operands.",
    "The same: operands have to satisfy the layout rules of grouped kernels already. Which these "
    "are is not said; the probe met errors for addresses and strides that are not multiples of 16 "
    "bytes.",
    "Beyond that, the probe found fp16 and fp32 right, and a last end that is the number of rows.",
)
MATMUL = (
    "CUDA semantics notes, reduced precision reduction in FP16 GEMMs: intermediate reductions may "
    "be made in fp16, faster for some shapes, less accurate, and they may overflow.",
    "The same notes, on BF16 GEMMs: a switch of its own, on by default; off is advised where "
    "results are unstable.",
    "`torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction` and "
    "`allow_fp16_reduced_precision_reduction` are those switches. torch 2.11.0 has both on.",
)

SCALED_MM = (
    "`torch.nn.functional.scaled_mm`, docstring: the recipe of scales is told for each operand; "
    "scales are factors that decode. What layout they have is not said, nor what rows, k and n "
    "have to be multiples of.",
    "Errors say that k and n have to be multiples of 16, that scales of 1x128 are [rows, blocks of "
    "k] by columns, and those of 128x128 [blocks of k in whole fours, blocks of n] by columns.",
)
SCALED_MM_LIMITS = ("The loop, and the copies of scales into the layout asked for, are the "
                    "plug-in's own.", "Forward alone, with use_fast_accum=False.")


def scaled_mm_loop(name, title, kernel, black_box=""):
    black_box = black_box and f"torch_scaled_mm.py:{black_box}"
    return Peer(name, title, f"torch_scaled_mm.py:{kernel}", black_box, "torch", SCALED_MM,
                SCALED_MM_LIMITS)


PEERS = (
    Peer("torch_grouped_mm", "torch grouped_mm, called directly", "torch_grouped_mm.py:direct",
         "torch_grouped_mm.py:undeclared", "torch", GROUPED_MM,
         ("The result is copied into the call's output, so that a stray write of torch's own "
          "output would not be seen.",)),
    Peer("cublas_grouped", "cuBLAS grouped product", "cublas_grouped.py:cublas_grouped",
         "cublas_grouped.py:undeclared", "cublas", (
             "`cublasGemmGroupedBatchedEx`, cuBLAS reference: sizes, leading dimensions, "
             "operations and scaling factors are arrays on the host, a value a group; pointers to "
             "the matrices are arrays on the device.",
             "The same: with fp32 computation bf16, fp16 and fp32 operands give an output of their "
             "own format.",
             "The same: a size below zero is an invalid value; zero is not excluded.",
             "The same: pointers of 16-bit matrices are ideally aligned to 16 bytes; they have to "
             "be where k times the element size is a multiple of 16, else an access is misaligned. "
             "The probe met that (`base_bytes`)."),
         ("One group an expert; counts are read on the host by the plug-in.",)),
    Peer("triton_grouped", "persistent grouped product in Triton",
         "triton_grouped.py:triton_grouped", "", "triton",
         ("Written for this project: its manifest is its documentation.",)),
    Peer("torch_grouped_mm_autograd", "torch grouped_mm through autograd",
         "torch_grouped_mm.py:autograd", "", "torch", GROUPED_MM,
         ("As for the direct call; gradients are copied, too.",)),
    Peer("torch_loop", "a product an expert, in torch", "torch_loops.py:loop",
         "torch_loops.py:undeclared_loop", "torch", MATMUL),
    Peer("torch_padded", "padded batch, torch.bmm", "torch_loops.py:padded",
         "torch_loops.py:undeclared_padded", "torch", MATMUL,
         ("Padding and unpadding are the plug-in's own.",)),
    Peer("torch_rowwise", "torch _scaled_grouped_mm, fp8 with a scale for each row",
         "torch_scaled_mm.py:rowwise", "torch_scaled_mm.py:undeclared", "torch", (
             "`torch._scaled_grouped_mm` has no docstring in torch 2.11.0.",
             "`torch.nn.functional.scaled_grouped_mm`, docstring: the recipe of scales is told for "
             "each operand; scales are factors that decode. That `use_fast_accum` is of Hopper is "
             "all that it says of accuracy.",
             "The same calls `offs` start indices of groups. It was judged with ends, which are "
             "right.",
             "An error says that strides have to be multiples of 16 bytes, another that the right "
             "operand has to be transposed."),
         ("The result is copied into the call's output, so that a stray write of torch's own "
          "output would not be seen.", "Forward alone, with use_fast_accum=False.")),
    Peer("torch_grouped_mm_views", "torch grouped_mm through autograd, weights that are views",
         "torch_grouped_mm.py:views", "", "torch", GROUPED_MM,
         ("The weights are copied into a slice of a larger tensor, so that their own alignment and "
          "strides are those of the copy.",)),
    Peer("jax_ragged_dot", "jax.lax.ragged_dot", "jax_ragged_dot.py:jax_ragged_dot",
         "jax_ragged_dot.py:undeclared", "jax", (
             "`jax.lax.ragged_dot`, docstring: group sizes are an array of integers, one a group; "
             "what rows past their sum hold is not said.",
             "The same: nothing is said of NaN or infinity in the weights of another group.",
             "`jax.lax.dot`, to which its `precision` refers: the default precision is the "
             "backend's own."),
         ("Operands are copied into memory of jax, so that reads outside of them cannot be seen.",),
         jobs=8, deadline=60),
    Peer("sm90", "this project's Hopper kernels", "sm90", certified=False,
         documentation=("Its certificate is in corpus/certificates.",)),
    Peer("sm80", "this project's Ampere kernels", "sm80", certified=False,
         documentation=("Its certificate is in corpus/certificates.",)),
    *FIELD_PEERS,
    scaled_mm_loop("torch_block128", "torch scaled_mm an expert at a time, fp8 with scales of "
                   "1x128 by 128x128", "block128", "undeclared_block128"),
    scaled_mm_loop("torch_block128_private", "torch _scaled_mm an expert at a time, fp8 with "
                   "scales of 1x128 by 128x128", "block128_private",
                   "undeclared_block128_private"),
    scaled_mm_loop("torch_1x128", "torch scaled_mm an expert at a time, fp8 with scales of 1x128",
                   "rows_of_both"),
    scaled_mm_loop("torch_128x128", "torch scaled_mm an expert at a time, fp8 with scales of "
                   "128x128 by 1x128", "squares_by_rows", "undeclared_squares_by_rows"),
    Peer("triton_block128", "persistent grouped product in Triton, fp8 with block scales",
         "triton_block128.py:triton_block128", "triton_block128.py:undeclared", "triton",
         ("Written for this project: its manifest is its documentation.",), deadline=60),
)
