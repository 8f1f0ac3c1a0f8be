"""torch's grouped_mm in all three passes: called directly, through autograd, and through autograd
with weights that are views.

    assay certify py:torch_grouped_mm.py:direct --profile full
    assay certify py:torch_grouped_mm.py:autograd --profile full
    assay certify py:torch_grouped_mm.py:views --profile full
    assay probe py:torch_grouped_mm.py:undeclared
"""

import assay
import torch
from torch_operands import IN_STREAM, ON_DEVICE, on_stream, operands

grouped_mm = getattr(torch.nn.functional, "grouped_mm", None) or torch._grouped_mm

# As torch documents it: bfloat16, int32 ends. It asks for strides that are multiples of 16 bytes,
# and leaves rows past the last end uninitialized, so that is what y has there.
MANIFEST = {**IN_STREAM, "passes": ["fwd", "dgrad", "wgrad"], "formats": ["bf16"],
            "weights": ["enk", "ekn"], "offsets": ["ends"], "base_bytes": 16, "k_multiple": 8,
            "n_multiple": 8, "ld_multiple": 8, "tail_rows": "undefined"}
# 1,024 groups and more are an error. torch documents no limit, so `direct` declares none and shows
# the error; the others are judged up to it.
LIMITED = {**MANIFEST, "max_experts": 1023}
EDGE = 8  # elements of a larger tensor around weights that are a slice of it


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


def through_autograd(call, wrapped=lambda w: w, taken=lambda leaf: leaf):
    """wgrad asks for the gradient of wrapped(w); what is multiplied is taken(wrapped(w)), equal to
    w."""
    with on_stream(call):
        x, w, y, ends = operands(call)
        # The operand whose gradient is asked for holds poison: only its shape and strides count.
        of_x = call.pass_ != "wgrad"
        x_leaf = torch.zeros_like(x) if call.pass_ == "dgrad" else x.detach()
        w_leaf = wrapped(w.detach() if of_x else torch.zeros_like(w))
        wanted = (x_leaf if of_x else w_leaf).requires_grad_()
        out = grouped_mm(x_leaf, taken(w_leaf), offs=ends)
        if call.pass_ == "fwd":
            y.copy_(out.detach())
            return
        out.backward(y)
        if of_x:
            x.copy_(wanted.grad)
            return
        w.copy_(taken(wanted.grad))
        taken(wanted.grad).zero_()
        if call.rows and bool(wanted.grad.any()):
            raise ArithmeticError("a gradient of weights that were not multiplied is not 0")


@assay.kernel(**LIMITED)
def autograd(call):
    through_autograd(call)


@assay.kernel(**{**LIMITED, **ON_DEVICE, "stream_ordered": False})
def views(call):
    """Weights are a slice of more experts, each a slice of wider rows, in w's own layout."""
    turned = call.weights == "enk"

    def wrapped(w):
        own = w.transpose(1, 2) if turned else w
        experts, rows, width = own.shape
        leaf = own.new_full((experts + 2, rows, width + 2 * EDGE), float("nan"))
        leaf[1:-1, :, EDGE:-EDGE] = own
        return leaf

    def taken(leaf):
        own = leaf[1:-1, :, EDGE:-EDGE]
        return own.transpose(1, 2) if turned else own

    through_autograd(call, wrapped, taken)


# The same as `direct`, as a black box: what it takes is for the probe to find out.
undeclared = assay.kernel(**ON_DEVICE)(direct.function)
