"""torchtitan's triton_contiguous_group_gemm (removed from its main branch in October 2025): forward
by cg_grouped_gemm_forward, dX and dW by cg_grouped_gemm_backward_*; x [rows, k], w [experts, n, k],
int32 expert of each row.

Asked: rows aligned to 128 by the caller, dense operands. Every row of a block is computed, so what
padding holds comes out. Of N and K nothing is said.
"""

from peerlib import DENSE, as_stored, compiled_for, dense, package, pin, source

# ruff: noqa: E402
import assay
import torch
from torch_operands import IN_STREAM, on_stream, operands

FOLDER = "torchtitan/experiments/kernels/triton_contiguous_group_gemm"
for name in ("torchtitan", "torchtitan.experiments", "torchtitan.experiments.kernels",
             "torchtitan.experiments.kernels.triton_contiguous_group_gemm"):
    package(name, "torchtitan/" + name.replace(".", "/"))
source("torchtitan/" + FOLDER)
import cg_backward
import cg_forward

for kernel in (cg_forward._kernel_cg_persistent_forward, cg_forward._kernel_cg_forward_aligned,
               cg_backward._kernel_cg_backward_dx):
    pin(kernel, BLOCK_SIZE_M=128, BLOCK_SIZE_N=64, BLOCK_SIZE_K=32)

GROUP = 128


def run(call, forward=cg_forward.cg_grouped_gemm_forward):
    with on_stream(call):
        x, w, y, ids = operands(call)
        w = as_stored(call, w)
        rows = call.rows // GROUP * GROUP
        if bool((ids[rows:] >= 0).any()):
            raise assay.Unsupported("there is no room for the last expert's padding")
        if rows == 0:
            if call.pass_ == "wgrad":
                w.zero_()
            return
        x, y, ids = x[:rows], y[:rows], ids[:rows]
        if call.pass_ == "wgrad":
            # A block of nobody's is the expert -1, which is none.
            w.copy_(cg_backward.cg_grouped_gemm_backward_weights(dense(y), dense(x), dense(ids),
                                                                 call.experts, GROUP))
        elif call.pass_ == "fwd":
            y.copy_(forward(dense(x), dense(w), ids.clamp(min=0), GROUP))
        else:
            x.copy_(cg_backward.cg_grouped_gemm_backward_inputs(dense(y), dense(w),
                                                                ids.clamp(min=0), GROUP))


MANIFEST = {**IN_STREAM, **DENSE, **compiled_for("k", "n", "experts"), "formats": ["bf16"],
            "weights": ["enk"], "offsets": ["row_ids"], "base_bytes": 2, "row_multiple": GROUP,
            "padding_input": "zeros", "padding_rows": "undefined", "tail_rows": "undefined",
            "max_experts": 64}


@assay.kernel(**{**MANIFEST, "passes": ["fwd", "dgrad", "wgrad"], "k_multiple": 128,
                 "n_multiple": 128})
def torchtitan_even(call):
    """Within the sizes of its own tests: multiples of 128."""
    run(call)


@assay.kernel(**{**MANIFEST, "passes": ["fwd", "dgrad"], "k_multiple": 16, "n_multiple": 16})
def torchtitan_any(call):
    run(call)


@assay.kernel(**{**MANIFEST, "passes": ["wgrad"], "k_multiple": 32, "n_multiple": 64})
def torchtitan_dw(call):
    """dW, N a multiple of 64 (a block is min(128, N)), K one of 32."""
    run(call)


@assay.kernel(**{**MANIFEST, "passes": ["fwd"], "formats": ["bf16", "fp16", "fp32"],
                 "conversion": "tf32_rz", "k_multiple": 16, "n_multiple": 16})
def torchtitan_dynamic(call):
    """cg_grouped_gemm_forward_dynamic: one program a tile, output in the input's format."""
    run(call, cg_forward.cg_grouped_gemm_forward_dynamic)
