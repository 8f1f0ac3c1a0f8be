"""The open-source kernels of the field, through the adapters of src/peers/field."""

from peer import FIELD, Peer

COPIED = ("Operands are dense, and the result is copied into the call's output, so that a stray "
          "write of the peer's own output would not be seen.",)
SCATTERED = (*COPIED, "The order of the tokens is drawn anew in each call and stands in no case.")


def jit(name, title, kernel, project, documentation=(), limits=COPIED, **more):
    """A kernel that is compiled for some of its arguments when it is called."""
    return Peer(name, title, kernel, project=project, documentation=documentation, limits=limits,
                probed=False, folder=FIELD, **{"deadline": 60, **more})


UNSLOTH = (
    "`grouped_gemm/interface.py`, docstrings: X has the tokens of all experts one after another, W "
    "is [experts, N, K], m_sizes holds the tokens of each; TMA needs Hopper.",
    "`grouped_gemm/kernels/forward.py`: a static_assert asks K to be a multiple of the block.",
    "Nothing is said of sizes whose products pass 2^31.",
)
LIGER = ("`liger_kernel/ops/fused_moe.py`, docstrings: weights are [E, 2 I, H] and [E, H, I]; "
         "nothing is asked of H and I.",)
SCATTERMOE = (
    "`scattermoe/parallel_experts.py` and README: weights are [experts, in, out]; rows may be "
    "grouped before and after, or scattered.",
    "Nothing is said of alignment, of NaN or infinity in another expert's weights, or of 2^31.",
)
MSLK = (
    "`mslk/gemm/triton/grouped_gemm.py`: x is [rows, K], w [groups * N, K], m_sizes int32; "
    "operands have to be contiguous.",
    "The same: without TMA where N or K is no multiple of 8; nothing else is asked of them.",
    "The same: dX and dW raise a ValueError for a group of 1 to 7 rows.",
)
TORCHTITAN = (
    "`triton_contiguous_group_gemm/cg_forward.py`, docstrings: rows come in groups of 128 of one "
    "expert each; nothing is said of N and K.",
    "torchtitan removed these kernels in October 2025; this is the last commit that has them.",
)
STK = ("`stk/ops/linear_ops.py`: blocks are 128 x 128 and sizes multiples of them.",
       "`megablocks/ops/topology`: block indices are int16.",)
TRITON_KERNELS = ("`triton_kernels/matmul_ogs.py`, docstring: x is [tokens, K], w [experts, K, N]; "
                  "nothing is asked of K and N.",)
TOKAMAX = (
    "`tokamax.ragged_dot`, docstring: lhs [m, k], rhs [g, k, n], group sizes [g]; with "
    "implementation=None the best one that works is taken.",
    "Nothing is said of rows past the last group, or of NaN and infinity in them.",
)
HF = ("`transformers/integrations/moe.py`, comments: grouped_mm wants 16-byte strides; the "
      "fallback runs where there is none.",)
CUTLASS = (
    "CUTLASS, examples/57_hopper_grouped_gemm: sizes, pointers and strides of the groups are "
    "arrays on the device, and sizes need not be known on the host.",
    "The same: the TMA asks for 16-byte strides and addresses.",
)

FIELD_PEERS = (
    jit("unsloth", "unsloth's grouped GEMM", "unsloth_moe.py:unsloth", "unsloth", UNSLOTH),
    jit("unsloth_permuted", "unsloth's grouped GEMM with the permutation fused",
        "unsloth_moe.py:unsloth_permuted", "unsloth", UNSLOTH, SCATTERED),
    jit("unsloth_any_n", "unsloth's grouped GEMM, any N forward", "unsloth_moe.py:unsloth_any_n",
        "unsloth", UNSLOTH),
    jit("unsloth_dw_any", "unsloth's dW, any N and K", "unsloth_moe.py:unsloth_dw_any", "unsloth",
        UNSLOTH),
    jit("liger", "Liger-Kernel's fused MoE products", "liger_moe.py:liger", "liger", LIGER),
    jit("liger_routed", "Liger-Kernel's fused MoE products with its own routing",
        "liger_moe.py:liger_routed", "liger", LIGER),
    jit("liger_dw2", "Liger-Kernel's dW of the down projection", "liger_moe.py:liger_dw2", "liger",
        LIGER),
    jit("scattermoe", "scattermoe's parallel_linear", "scatter_moe.py:scattermoe", "scattermoe",
        SCATTERMOE, ("The result is copied into the call's output.",)),
    jit("scattermoe_scattered", "scattermoe's parallel_linear, tokens scattered",
        "scatter_moe.py:scattermoe_scattered", "scattermoe", SCATTERMOE, SCATTERED),
    jit("scattermoe_few", "scattermoe's parallel_linear, multiples of 64",
        "scatter_moe.py:scattermoe_few", "scattermoe", SCATTERMOE,
        ("The result is copied into the call's output.",)),
    jit("mslk", "MSLK's Triton grouped GEMM, warp-specialised",
        "mslk_gemm.py:mslk_warp_specialized", "mslk", MSLK),
    jit("mslk_tma", "MSLK's Triton grouped GEMM with TMA", "mslk_gemm.py:mslk_tma", "mslk", MSLK),
    jit("mslk_any", "MSLK's Triton grouped GEMM, any K and N", "mslk_gemm.py:mslk_any", "mslk",
        MSLK),
    jit("mslk_gradients", "MSLK's Triton dX and dW", "mslk_gemm.py:mslk_gradients", "mslk", MSLK,
        (*COPIED, "Options of AMD's compiler are removed from its configurations, with which the "
                  "call raises KeyError on an NVIDIA GPU.")),
    jit("torchtitan", "torchtitan's contiguous grouped GEMM, multiples of 128",
        "torchtitan_cg.py:torchtitan_even", "torchtitan", TORCHTITAN),
    jit("torchtitan_any", "torchtitan's contiguous grouped GEMM, multiples of 16",
        "torchtitan_cg.py:torchtitan_any", "torchtitan", TORCHTITAN),
    jit("torchtitan_dw", "torchtitan's contiguous dW, N a multiple of 64",
        "torchtitan_cg.py:torchtitan_dw", "torchtitan", TORCHTITAN),
    jit("torchtitan_dynamic", "torchtitan's contiguous grouped GEMM, one program a tile",
        "torchtitan_cg.py:torchtitan_dynamic", "torchtitan", TORCHTITAN),
    jit("stk", "MegaBlocks' block-sparse products by stk", "stk_moe.py:stk_sdd", "stk", STK,
        (*COPIED, "The topology is made by the adapter, as megablocks makes it.")),
    jit("sglang", "sglang's fused_moe_kernel", "sglang_moe.py:sglang", "sglang"),
    jit("sglang_scattered", "sglang's fused_moe_kernel, tokens scattered",
        "sglang_moe.py:sglang_scattered", "sglang", (), SCATTERED),
    jit("sglang_tma", "sglang's fused_moe_kernel, weights by TMA", "sglang_moe.py:sglang_tma",
        "sglang"),
    jit("triton_kernels", "OpenAI's triton_kernels.matmul_ogs",
        "triton_kernels_ogs.py:triton_kernels_ogs", "triton_kernels", TRITON_KERNELS),
    jit("triton_kernels_tma", "OpenAI's triton_kernels.matmul_ogs with TMA",
        "triton_kernels_ogs.py:triton_kernels_ogs_tma", "triton_kernels", TRITON_KERNELS),
    jit("tokamax", "tokamax.ragged_dot, Mosaic GPU", "tokamax_dot.py:tokamax_mosaic", "tokamax",
        TOKAMAX, ("Operands are copied into memory of jax, so that reads outside of them cannot be "
                  "seen.",), jobs=4),
    jit("hf_grouped_linear", "Hugging Face transformers' grouped linear layer",
        "hf_grouped.py:hf_grouped_linear", "transformers", HF),
    jit("hf_fallback", "Hugging Face transformers' fallback", "hf_grouped.py:hf_fallback",
        "transformers", HF),
    jit("cutlass_grouped", "CUTLASS's grouped GEMM for Hopper", "build/cutlass_grouped.so",
        "cutlass", CUTLASS, (), deadline=20),
)
