"""Liger-Kernel's fused MoE layer: its plain grouped products, launched as LigerFusedMoEFunction
does, x [rows, k], w [experts, n, k], int32 starts with the total behind them.

Forward is the down projection, dX and dW are those of the up projection (whose n is 2 I: gate and
up, hence even), so that the function's own activation is not in the way. Dense operands.
"""

import os

os.environ.setdefault("LIGER_FUSED_MOE_AUTOTUNE", "0")  # documented: one configuration, no tuning

# ruff: noqa: E402
from peerlib import DENSE, as_stored, compiled_for, dense, package

import assay
import torch
import triton
from torch_operands import IN_STREAM, on_stream, operands

package("liger_kernel", "liger/src/liger_kernel")
package("liger_kernel.ops", "liger/src/liger_kernel/ops")
from liger_kernel.ops import fused_moe, fused_moe_kernels as kernels

BLOCK_M = fused_moe.BLOCK_M_TOKEN


def own_metadata(starts):
    """What compute_routing_metadata answers for rows that are in order already."""
    sizes = (starts[1:] - starts[:-1]).tolist()
    first = starts.tolist()
    tiles = [(first[expert] + row, expert) for expert, size in enumerate(sizes)
             for row in range(0, size, BLOCK_M)]
    table = torch.tensor(tiles, dtype=torch.int32).reshape(-1, 2).to(starts.device)
    total = first[-1]
    return (starts, torch.arange(total, dtype=torch.int32, device=starts.device),
            table[:, 0].contiguous(), table[:, 1].contiguous(), total)


def routed_metadata(starts):
    """By Liger's own three routing kernels, from an expert a token."""
    sizes = starts[1:] - starts[:-1]
    experts = torch.arange(len(sizes), dtype=torch.int32, device=starts.device)
    total = int(starts[-1])
    ids = torch.repeat_interleave(experts, sizes.long(), output_size=total)
    _, begins, gather, _, _, tile_rows, tile_experts = fused_moe.compute_routing_metadata(
        ids[:, None].contiguous(), len(sizes))
    return begins, gather, tile_rows, tile_experts, total


def forward(call, x, w, y, metadata):
    """Y = post_act down_proj[e]^T: H = n, I = k."""
    begins, _, tile_rows, tile_experts, total = metadata
    out = torch.empty((total, call.n), dtype=x.dtype, device=x.device)
    tiles = tile_rows.shape[0]
    if tiles:
        kernels._fused_down_proj_kernel[lambda meta: (tiles, triton.cdiv(call.n, meta["BLOCK_N"]))](
            x, w, begins, tile_rows, tile_experts, out, H_dim=call.n, I_dim=call.k,
            stride_post_TK=x.stride(0), stride_post_I=x.stride(1), stride_w_E=w.stride(0),
            stride_w_H=w.stride(1), stride_w_I=w.stride(2), stride_Y_TK=out.stride(0),
            stride_Y_H=out.stride(1), BLOCK_M=BLOCK_M)
    y[:total].copy_(out)


def gradient_of_x(call, x, w, y, metadata):
    """dx = d_pre_act W1: H = k, 2 I = n."""
    begins, _, tile_rows, tile_experts, total = metadata
    out = torch.empty((total, call.k), dtype=y.dtype, device=y.device)
    tiles = tile_rows.shape[0]
    if tiles:
        kernels._moe_bwd_dX_expanded_kernel[
            lambda meta: (tiles, triton.cdiv(call.k, meta["BLOCK_N"]))](
            y, w, begins, tile_rows, tile_experts, out, H_dim=call.k, I_dim=call.n // 2,
            stride_d_pre_TK=y.stride(0), stride_d_pre_N=y.stride(1), stride_w_E=w.stride(0),
            stride_w_N=w.stride(1), stride_w_K=w.stride(2), stride_dxe_TK=out.stride(0),
            stride_dxe_H=out.stride(1), BLOCK_M=BLOCK_M)
    x[:total].copy_(out)


def gradient_of_w(call, x, y, metadata):
    """dW1[e] = d_pre_act^T X: [n, k]."""
    begins, gather, *_ = metadata
    out = torch.zeros((call.experts, call.n, call.k), dtype=x.dtype, device=x.device)
    kernels._moe_bwd_dW1_kernel[
        lambda meta: (call.experts * triton.cdiv(call.k, meta["BLOCK_M"]),
                      triton.cdiv(call.n, meta["BLOCK_N"]))](
        x, y, gather, begins, out, H_dim=call.k, I_dim=call.n // 2, stride_x_T=x.stride(0),
        stride_x_H=x.stride(1), stride_d_pre_TK=y.stride(0), stride_d_pre_N=y.stride(1),
        stride_dW1_E=out.stride(0), stride_dW1_N=out.stride(1), stride_dW1_H=out.stride(2))
    return out


def run(call, metadata_of):
    with on_stream(call):
        x, w, y, starts = operands(call)
        w = as_stored(call, w)
        metadata = metadata_of(starts)
        if call.pass_ == "fwd":
            forward(call, dense(x), dense(w), y, metadata)
        elif call.pass_ == "dgrad":
            gradient_of_x(call, x, dense(w), dense(y), metadata)
        else:
            w.copy_(gradient_of_w(call, dense(x), dense(y), metadata))


MANIFEST = {**IN_STREAM, **DENSE, **compiled_for("k", "n"), "passes": ["fwd", "dgrad", "wgrad"],
            "formats": ["bf16", "fp16"], "weights": ["enk"], "offsets": ["indptr"], "base_bytes": 2,
            "n_multiple": 2}


@assay.kernel(**MANIFEST)
def liger(call):
    run(call, own_metadata)


@assay.kernel(**{**MANIFEST, **compiled_for("k", "n", "experts"), "formats": ["bf16"],
                 "k_multiple": 32, "n_multiple": 32})
def liger_routed(call):
    """With Liger's routing: the number of experts is a constant of its kernels."""
    run(call, routed_metadata)


@assay.kernel(**{**MANIFEST, "passes": ["wgrad"], "k_multiple": 8, "n_multiple": 8})
def liger_dw2(call):
    """dW of the down projection, stored [E, H, I] with H = n, I = k."""
    with on_stream(call):
        x, w, y, starts = operands(call)
        begins, gather, *_ = own_metadata(starts)
        act, grad = dense(x), dense(y)
        out = torch.zeros((call.experts, call.n, call.k), dtype=act.dtype, device=act.device)
        kernels._moe_bwd_dW2_kernel[
            lambda meta: (call.experts * triton.cdiv(call.k, meta["BLOCK_M"]),
                          triton.cdiv(call.n, meta["BLOCK_N"]))](
            act, grad, gather, begins, out, H_dim=call.n, I_dim=call.k,
            stride_wact_TK=act.stride(0), stride_wact_I=act.stride(1), stride_dout_T=grad.stride(0),
            stride_dout_H=grad.stride(1), stride_dW2_E=out.stride(0), stride_dW2_H=out.stride(1),
            stride_dW2_I=out.stride(2))
        as_stored(call, w).copy_(out)
