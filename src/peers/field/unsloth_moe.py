"""unsloth's kernels/moe/grouped_gemm by its public functions: forward, dX and dW, x [rows, k], w
[experts, n, k], int32 counts.

Asked: dense operands; K a multiple of the block forward, N and K of theirs in dX (static_assert).
Rows past the last expert's are never written forward (torch.empty), and zeros in dX.
"""

from peerlib import DENSE, as_stored, compiled_for, dense, source, stub

# ruff: noqa: E402
import assay
import torch
from torch_operands import DEVICE, IN_STREAM, on_stream, operands

stub("unsloth", DEVICE_TYPE="cuda")
if DEVICE == "cpu":
    stub("pandas")
source("unsloth/unsloth/kernels/moe")
from grouped_gemm import interface

# What interface.py and its tests use without autotuning; the blocks of the tests' KernelConfig.
PLAIN = {"BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 32, "num_warps": 4,
         "num_stages": 2}
LARGE = {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 64, "num_warps": 4,
         "num_stages": 3}
# Its README says that TMA stores are not enabled.
TMA = {"fwd": {"use_tma_load_w": True, "use_tma_load_x": True},
       "dgrad": {"use_tma_load_w": True, "use_tma_load_dy": True},
       "wgrad": {"use_tma_load_x": True, "use_tma_load_dy": True}}


def product(call, x, w, y, counts, words):
    if call.pass_ == "fwd":
        return interface.grouped_gemm_forward(X=x, W=w, topk=1, m_sizes=counts, **words)
    if call.pass_ == "dgrad":
        return interface.grouped_gemm_dX(dY=y, W=w, topk=1, m_sizes=counts,
                                         **{"gather_indices": None, **words})
    return interface.grouped_gemm_dW(X=x, dY=y, topk=1, m_sizes=counts,
                                     **{"gather_indices": None, **words})


def run(call):
    with on_stream(call):
        x, w, y, counts = operands(call)
        w = as_stored(call, w)
        words = {**(LARGE if call.tactic in ("blocks64", "tma") else PLAIN),
                 **(TMA[call.pass_] if call.tactic == "tma" else {})}
        out = {"fwd": y, "dgrad": x, "wgrad": w}[call.pass_]
        out.copy_(product(call, dense(x), dense(w), dense(y), counts, words))


COMMON = {**IN_STREAM, **DENSE, **compiled_for("k", "n", "experts"), "formats": ["bf16", "fp16"],
          "weights": ["enk"], "offsets": ["counts"], "base_bytes": 16, "tail_rows": "undefined"}
MANIFEST = {**COMMON, "passes": ["fwd", "dgrad", "wgrad"],
            "k_multiple": {"fwd": 64, "dgrad": 64, "wgrad": 8},
            "n_multiple": {"fwd": 8, "dgrad": 64, "wgrad": 8}, "max_experts": 64}

unsloth = assay.kernel(**MANIFEST, tactics=["blocks64", "tma"],
                       tiles={"blocks64": [64, 64, 64], "tma": [64, 64, 64]})(run)


@assay.kernel(**{**COMMON, "base_bytes": 2}, passes=["fwd"], k_multiple=32, max_experts=64)
def unsloth_any_n(call):
    """Forward masks columns: any N."""
    run(call)


@assay.kernel(**{**COMMON, "base_bytes": 2}, passes=["wgrad"], max_experts=64)
def unsloth_dw_any(call):
    """dW masks N and K."""
    run(call)


@assay.kernel(**{**MANIFEST, "formats": ["bf16"]})
def unsloth_permuted(call):
    """The fused permutation of tokens: forward gathers on load (permute_x), as the first product of
    a layer does with topk=1; dX scatters on store, dW gathers on load."""
    with on_stream(call):
        x, w, y, counts = operands(call)
        rows = x.shape[0]
        if rows == 0 or int(counts.sum()) < rows:
            return run(call)  # the permutation tells the number of tokens: no tail rows
        # Row i in expert order is token order[i].
        order = torch.randperm(rows, device=x.device)
        tokens = torch.empty_like(dense(x))
        if call.pass_ != "dgrad":
            tokens[order] = x
        w = as_stored(call, w)
        words = {**LARGE, "gather_indices": order, "permute_x": True}
        out = product(call, tokens, dense(w), dense(y), counts, words)
        if call.pass_ == "fwd":
            y.copy_(out)
        elif call.pass_ == "dgrad":
            x.copy_(out[order])
        else:
            w.copy_(out)
