"""Hugging Face transformers' integrations/moe: its grouped linear layer and its fallback, x
[rows, k], w [experts, k, n] in either layout, int32 ends, with the gradients that autograd derives.

Asked of the first: strides in multiples of 16 bytes and fewer than 1,024 experts, as torch's
grouped_mm asks. The fallback asks nothing.
"""

import peerlib

# ruff: noqa: E402
import assay
import torch
from peerlib import leaves, wanted
from torch_operands import IN_STREAM, on_stream, operands
from transformers.integrations import moe


def run(call, function):
    with on_stream(call):
        x, w, y, ends = operands(call)
        x_leaf, w_leaf = leaves(call, x, w)
        out = function(x_leaf, w_leaf, ends)
        if not wanted(call):
            y.copy_(out.detach())
            return
        out.backward(y)
        if wanted(call) == "x":
            x.copy_(x_leaf.grad)
        else:
            w.copy_(w_leaf.grad)


MANIFEST = {**IN_STREAM, "passes": ["fwd", "dgrad", "wgrad"], "formats": ["bf16", "fp16"],
            "weights": ["enk", "ekn"], "offsets": ["ends"], "base_bytes": 2}


@assay.kernel(**MANIFEST, tail_rows="zeroed")
def hf_fallback(call):
    """torch's partial sums in 16 bits are another finding (torch_loop): switched off."""
    switches = torch.backends.cuda.matmul
    switches.allow_bf16_reduced_precision_reduction = False
    switches.allow_fp16_reduced_precision_reduction = False
    run(call, torch.ops.transformers.grouped_mm_fallback)


@assay.kernel(**{**MANIFEST, "base_bytes": 16}, k_multiple=8, n_multiple=8, ld_multiple=8,
              tail_rows="undefined", max_experts=1023)
def hf_grouped_linear(call):
    run(call, lambda x, w, ends: moe._grouped_linear(x, w, ends, is_transposed=True))
