"""MSLK's (once FBGEMM's) Triton grouped products: forward, x [rows, k], w [experts, n, k], int32
counts, with and without warp specialisation, and its Triton dX and dW, int64 counts.

Asked: dense operands and 16-byte bases; in dX and dW at least 8 rows of a group that is not empty
(ValueError). Nothing is asked of K and N.
"""

from peerlib import DENSE, as_stored, compiled_for, dense, package, pin

# ruff: noqa: E402
import assay
import torch
from torch_operands import IN_STREAM, on_stream, operands

for name in ("mslk", "mslk.gemm", "mslk.gemm.triton"):
    package(name, "mslk/" + name.replace(".", "/"))
from mslk.gemm.triton import grouped_gemm as mslk

for name in ("_mslk_grouped_gemm", "_mslk_grouped_gemm_ws"):
    pin(getattr(mslk, name), BLOCK_SIZE_M=64, BLOCK_SIZE_N=64, BLOCK_SIZE_K=64)
# Configurations of dX and dW carry options of AMD's compiler; what is left of them is the blocks.
for name in ("_mslk_grouped_gemm_dgrad", "_mslk_grouped_gemm_wgrad"):
    config = pin(getattr(mslk, name), BLOCK_SIZE_M=64, BLOCK_SIZE_N=64, BLOCK_SIZE_K=64,
                 num_warps=4)
    for word in ("waves_per_eu", "matrix_instr_nonkdim"):
        config.kwargs.pop(word, None)


def forward(call, **words):
    with on_stream(call):
        x, w, y, counts = operands(call)
        w = dense(as_stored(call, w))
        y.copy_(mslk.grouped_gemm(dense(x), w.view(-1, w.shape[-1]), counts, **words))


# The output is bf16 whatever comes in.
COMMON = {**IN_STREAM, **DENSE, **compiled_for("k", "n", "experts"), "formats": ["bf16"],
          "weights": ["enk"], "base_bytes": 16, "tail_rows": "undefined"}
MANIFEST = {**COMMON, "passes": ["fwd"], "offsets": ["counts"], "max_experts": 64}


@assay.kernel(**{**MANIFEST, "k_multiple": 64, "n_multiple": 64})
def mslk_warp_specialized(call):
    """As called by default on a GPU with TMA."""
    forward(call)


@assay.kernel(**{**MANIFEST, "k_multiple": 64, "n_multiple": 8})
def mslk_tma(call):
    forward(call, _use_warp_specialization=False)


@assay.kernel(**{**MANIFEST, "base_bytes": 2})
def mslk_any(call):
    """The function as it is, any K and N: without TMA where they are no multiples of 8."""
    forward(call)


def widened(rows, index, total):
    wide = rows.new_zeros((total, rows.shape[1]))
    wide[index] = rows
    return wide


def padded(sizes, device):
    """(counts of at least 8, where each row lies among them, or none if nothing is added)."""
    least = [0 if size == 0 else max(size, 8) for size in sizes]
    counts = torch.tensor(least, dtype=torch.int64)
    if least == sizes:
        return counts.to(device), None
    starts = counts.cumsum(0) - counts
    index = torch.cat([torch.arange(size) + start for size, start in zip(sizes, starts)])
    return counts.to(device), index.to(device)


@assay.kernel(**{**COMMON, "passes": ["dgrad", "wgrad"], "formats": ["bf16", "fp16"],
                 "base_bytes": 2, "offsets": ["counts:i64"], "max_experts": 64, "k_multiple": 8,
                 "n_multiple": 8})
def mslk_gradients(call):
    """Smaller groups are padded with rows of zeros, as a caller has to."""
    with on_stream(call):
        x, w, y, counts = operands(call)
        w = as_stored(call, w)
        sizes = counts.tolist()
        total = sum(sizes)
        counts, index = padded(sizes, x.device)
        x_rows, y_rows = x[:total], y[:total]
        if index is not None:
            y_rows = widened(y_rows, index, int(counts.sum()))
            x_rows = widened(x_rows, index, int(counts.sum())) if call.pass_ == "wgrad" else x_rows
        if call.pass_ == "dgrad":
            # dX = dY W: their N is our k, their K our n.
            out = mslk.grouped_gemm_dgrad(dense(y_rows), dense(w).permute(0, 2, 1), counts)
            x[:total].copy_(out if index is None else out[index])
        else:
            w.copy_(mslk.grouped_gemm_wgrad(dense(y_rows), dense(x_rows), counts))
