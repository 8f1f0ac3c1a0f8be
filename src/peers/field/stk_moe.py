"""MegaBlocks' block-sparse products by stk: an expert's rows times its own columns of one matrix
[k, experts * n] (sdd), and its gradients (dsd, dds) by stk's autograd, in 128 x 128 blocks.

x [rows, k], w [experts, n, k], ends of rows that are padded to 128. Asked: every size a multiple of
128 (k, too, being the output's of dds), padding rows of zeros, dense operands.
"""

from peerlib import DENSE, as_stored, dense, leaves, source, wanted

# ruff: noqa: E402
import assay
import torch
from torch_operands import IN_STREAM, on_stream, operands

source("stk")
import stk

BLOCK = 128


def up(number, multiple):
    return -(-number // multiple) * multiple


def topology(ends, pad, rows, experts, n, like):
    """As megablocks.ops.topology makes it: int16 block indices, row after row."""
    starts = [0, *[up(end, pad) for end in ends[:-1]]]
    across = n // BLOCK
    per_block = torch.full((rows // BLOCK,), -1, dtype=torch.int64)
    for expert, (start, end) in enumerate(zip(starts, ends)):
        per_block[start // BLOCK:-(-end // BLOCK)] = expert
    counts = torch.where(per_block >= 0, across, 0)
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), counts.cumsum(0)]).int()
    row_indices = torch.repeat_interleave(torch.arange(rows // BLOCK), counts)
    within = torch.arange(len(row_indices)) - offsets[row_indices].long()
    columns = per_block[row_indices] * across + within
    data = torch.empty((len(columns), BLOCK, BLOCK), dtype=like.dtype, device=like.device)
    return stk.Matrix((rows, experts * n), data, row_indices.short().to(like.device),
                      columns.short().to(like.device), offsets.to(like.device))


# Block b of a sparse matrix is rows 128 r .. of columns 128 c ..; all columns of an expert's are.
def blocks_to_rows(data, n):
    return data.view(-1, n // BLOCK, BLOCK, BLOCK).transpose(1, 2).reshape(-1, BLOCK, n)


def rows_to_blocks(rows, n):
    return rows.reshape(-1, BLOCK, n // BLOCK, BLOCK).transpose(1, 2).reshape(-1, BLOCK, BLOCK)


def multiply(call, x, w, y, ends):
    """x and y have whole blocks of rows, w is [experts, n, k]."""
    experts, n = call.experts, call.n
    topo = topology(ends, call.pad, x.shape[0], experts, n, y)
    used = torch.unique_consecutive(topo.row_indices.long())
    # One matrix of all experts' weights, stored as [experts * n, k] and given transposed.
    left, stored = leaves(call, dense(x), dense(w).view(experts * n, call.k))
    out = stk.ops.sdd(left, stored.t(), topo)
    if not wanted(call):
        y.view(-1, BLOCK, n)[used] = blocks_to_rows(out.data.detach(), n)
        return
    out.data.backward(rows_to_blocks(dense(y).view(-1, BLOCK, n)[used], n))
    if wanted(call) == "x":
        x.copy_(left.grad)
    else:
        w.copy_(stored.grad.view(experts, n, call.k))


@assay.kernel(**IN_STREAM, **DENSE, passes=["fwd", "dgrad", "wgrad"], formats=["bf16", "fp16"],
              weights=["enk"], offsets=["padded_ends"], base_bytes=16, row_multiple=BLOCK,
              k_multiple=BLOCK, n_multiple=BLOCK, padding_input="zeros", padding_rows="undefined",
              tail_rows="undefined")
def stk_sdd(call):
    with on_stream(call):
        x, w, y, ends = operands(call)
        ends = ends.tolist()
        rows = up(ends[-1], BLOCK)
        if rows > call.rows:
            raise assay.Unsupported("there is no room for the last expert's padding")
        if rows:
            multiply(call, x[:rows], as_stored(call, w), y[:rows], ends)
        elif call.pass_ == "wgrad":
            w.zero_()
