"""jax.lax.ragged_dot, forward and the gradients that jax derives from it. Runs on the GPU where jax
has one, else on the CPU; torch moves the operands between the call and jax.

    assay certify py:jax_ragged_dot.py --profile full
"""

import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # one worker is one of many

# ruff: noqa: E402
import assay
import jax
import torch
from torch_operands import DEVICE, ON_DEVICE, on_stream, operands

if (jax.default_backend() == "gpu") != (DEVICE == "cuda"):
    raise ImportError(f"jax computes on the {jax.default_backend()}, torch on {DEVICE}")

forward = jax.jit(jax.lax.ragged_dot)


@jax.jit
def gradient_of_x(x, w, sizes, y):
    return jax.vjp(lambda rows: jax.lax.ragged_dot(rows, w, sizes), x)[1](y)[0]


@jax.jit
def gradient_of_w(x, w, sizes, y):
    return jax.vjp(lambda weights: jax.lax.ragged_dot(x, weights, sizes), w)[1](y)[0]


def own(tensor):
    """A dense copy that belongs to jax: it takes no strides, and keeps arrays as long as it likes.
    """
    if tensor.numel() == 0:
        return jax.numpy.zeros(tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."))
    return jax.dlpack.from_dlpack(tensor.detach().contiguous().clone())


# jax says nothing of rows past the last group. Expanding every expert to all rows, it needs memory
# of their product.
@assay.kernel(**ON_DEVICE, passes=["fwd", "dgrad", "wgrad"], formats=["bf16", "fp16"],
              weights=["enk", "ekn"], offsets=["counts"], base_bytes=2, tail_rows="undefined",
              max_rows=1 << 16)
def jax_ragged_dot(call):
    with on_stream(call):
        x, w, y, sizes = operands(call)
        # The operand that is computed holds poison: only its shape counts.
        x_in, w_in, y_in, sizes = (
            own(t) for t in (torch.zeros_like(x) if call.pass_ == "dgrad" else x,
                             torch.zeros_like(w) if call.pass_ == "wgrad" else w, y, sizes))
        if DEVICE == "cuda":
            torch.cuda.current_stream().synchronize()  # jax has streams of its own
        if call.pass_ == "fwd":
            out, to = forward(x_in, w_in, sizes), y
        elif call.pass_ == "dgrad":
            out, to = gradient_of_x(x_in, w_in, sizes, y_in), x
        else:
            out, to = gradient_of_w(x_in, w_in, sizes, y_in), w
        out.block_until_ready()
        if to.numel():
            to.copy_(torch.from_dlpack(out))


# The same as a black box: what it takes is for the probe to find out.
undeclared = assay.kernel(**ON_DEVICE)(jax_ragged_dot.function)
