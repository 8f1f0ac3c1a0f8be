"""scattermoe's parallel_linear, x [rows, k], w [experts, k, n] in either layout, int64 counts,
forward and the gradients of its autograd function. Rows come grouped (grouped_in, grouped_out,
k=1), or scattered, as a layer's tokens are. Nothing is asked of alignment.
"""

from peerlib import compiled_for, dense, leaves, source, wanted

# ruff: noqa: E402
import assay
import torch
from torch_operands import IN_STREAM, on_stream, operands

source("scattermoe")
# parallel_experts compiles a sorting that is not used here.
torch.compile = lambda function=None, **_: function if function else (lambda f: f)
from scattermoe.parallel_experts import parallel_linear


def routing(counts, experts):
    """As flatten_sort_count answers for rows in order: the expert of each, their numbers, ends."""
    ends = counts.cumsum(-1)
    total = int(ends[-1])
    ids = torch.repeat_interleave(torch.arange(experts, device=ends.device), counts,
                                  output_size=total)
    return ids, torch.arange(total, device=ends.device), ends, total


def run(call, scattered=False):
    with on_stream(call):
        x, w, y, counts = operands(call)
        ids, order, ends, total = routing(counts, call.experts)
        if scattered:
            order = torch.randperm(total, device=x.device)

        def spread(rows):
            if not scattered:
                return rows
            out = torch.empty_like(rows, memory_format=torch.contiguous_format)
            out[order] = rows
            return out

        def gathered(rows):
            return rows[order] if scattered else rows

        x_leaf, w_leaf = leaves(call, x[:total], w)
        if scattered:
            x_leaf = spread(x_leaf.detach()).requires_grad_(x_leaf.requires_grad)
        out = parallel_linear(x_leaf, w_leaf, 1, ids, order, ends, grouped_in=not scattered,
                              grouped_out=not scattered)
        if not wanted(call):
            y[:total].copy_(gathered(out.detach()))
            return
        out.backward(spread(dense(y[:total])))
        if wanted(call) == "x":
            x[:total].copy_(gathered(x_leaf.grad))
        else:
            w.copy_(w_leaf.grad)


# Rows past the last expert's are not given to it. Strides are constants of its kernels.
MANIFEST = {**IN_STREAM, **compiled_for("k", "n", "experts", "strides"),
            "passes": ["fwd", "dgrad", "wgrad"], "formats": ["bf16", "fp16"],
            "weights": ["enk", "ekn"], "offsets": ["counts:i64"], "base_bytes": 2,
            "max_experts": 64}


@assay.kernel(**MANIFEST)
def scattermoe(call):
    run(call)


@assay.kernel(**{**MANIFEST, "k_multiple": 16, "n_multiple": 16})
def scattermoe_scattered(call):
    run(call, scattered=True)


@assay.kernel(**{**MANIFEST, "formats": ["bf16"], "weights": ["ekn"], "k_multiple": 64,
                 "n_multiple": 64})
def scattermoe_few(call):
    """Few shapes: each is compiled anew."""
    run(call)
