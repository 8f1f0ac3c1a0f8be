"""torch's grouped_mm in all three passes: called directly, and through autograd. Needs a GPU.

    assay certify py:torch_grouped_mm.py:direct --profile full
    assay certify py:torch_grouped_mm.py:autograd --profile full
"""

import assay
import torch

grouped_mm = getattr(torch.nn.functional, "grouped_mm", None) or torch._grouped_mm

# Rows past the last end are left uninitialized by torch, so that is what y has there.
MANIFEST = {"device": "cuda", "passes": ["fwd", "dgrad", "wgrad"], "formats": ["bf16"],
            "weights": ["enk", "ekn"], "offsets": ["ends"], "base_bytes": 16, "k_multiple": 8,
            "n_multiple": 8, "ld_multiple": 8, "tail_rows": "undefined", "stream_ordered": True}


def operands(call):
    """x [rows, k], w [experts, k, n] in either layout, y [rows, n] and ends, without a copy."""
    x, w, y, ends = (torch.from_dlpack(t) for t in (call.x, call.w, call.y, call.offsets))
    return x, (w.transpose(1, 2) if call.weights == "enk" else w), y, ends


def on_stream(call):
    if call.stream == 0:
        return torch.cuda.stream(torch.cuda.default_stream())
    return torch.cuda.stream(torch.cuda.ExternalStream(call.stream))


@assay.kernel(**MANIFEST)
def direct(call):
    with on_stream(call):
        x, w, y, ends = operands(call)
        if call.pass_ == "fwd":
            y.copy_(grouped_mm(x, w, offs=ends))
        elif call.pass_ == "dgrad":
            x.copy_(grouped_mm(y, w.transpose(1, 2), offs=ends))
        else:
            w.copy_(grouped_mm(x.t(), y, offs=ends))


@assay.kernel(**MANIFEST)
def autograd(call):
    with on_stream(call):
        x, w, y, ends = operands(call)
        if call.pass_ == "fwd":
            y.copy_(grouped_mm(x.detach().requires_grad_(), w, offs=ends).detach())
            return
        # The operand whose gradient is asked for holds poison: only its shape and strides count.
        of_x = call.pass_ == "dgrad"
        wanted = torch.zeros_like(x if of_x else w).requires_grad_()
        out = grouped_mm(wanted if of_x else x, w if of_x else wanted, offs=ends)
        out.backward(y)
        (x if of_x else w).copy_(wanted.grad)
