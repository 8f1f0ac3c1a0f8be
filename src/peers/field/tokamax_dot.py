"""tokamax.ragged_dot on a GPU by its Mosaic GPU kernels (Hopper), x [rows, k], w [experts, k, n] in
either layout, int32 counts, forward and the gradients of its own vjp; torch moves the operands
between the call and jax.

Asked: total rows in multiples of 8 forward and of 64 in dW (ValueError else): rows of nobody's are
put behind, up to a power of two, since each number of rows is compiled anew. What output rows past
the sum of the counts hold is not said.
"""

import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # one worker is one of many

# ruff: noqa: E402
import functools

from peerlib import compiled_for, source, stub

import assay
import jax
import torch
from torch_operands import DEVICE, ON_DEVICE, on_stream, operands

source("tokamax")
for name in ("xprof", "xprof.cli", "xprof.cli.tools", "xprof.cli.tools.get_kernel_stats_tool"):
    stub(name)
import tokamax

LEAST_ROWS = 64


@functools.cache
def functions(implementation):
    def dot(x, w, sizes):
        return tokamax.ragged_dot(x, w, sizes, implementation=implementation)

    return {"fwd": jax.jit(lambda x, w, sizes, y: dot(x, w, sizes)),
            "dgrad": jax.jit(lambda x, w, sizes, y: jax.vjp(lambda rows: dot(rows, w, sizes),
                                                            x)[1](y)[0]),
            "wgrad": jax.jit(lambda x, w, sizes, y: jax.vjp(lambda own: dot(x, own, sizes),
                                                            w)[1](y)[0])}


def own(tensor):
    """A dense copy that belongs to jax."""
    if tensor.numel() == 0:
        return jax.numpy.zeros(tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."))
    return jax.dlpack.from_dlpack(tensor.detach().contiguous().clone())


def widened(tensor, rows):
    more = rows - tensor.shape[0]
    return torch.cat([tensor, tensor.new_zeros((more, tensor.shape[1]))]) if more else tensor


def run(call, implementation):
    with on_stream(call):
        x, w, y, sizes = operands(call)
        rows = max(LEAST_ROWS, 1 << (call.rows - 1).bit_length()) if call.rows else LEAST_ROWS
        # The operand that is computed holds poison: only its shape counts.
        given = (widened(torch.zeros_like(x) if call.pass_ == "dgrad" else x, rows),
                 torch.zeros_like(w) if call.pass_ == "wgrad" else w, sizes, widened(y, rows))
        given = [own(tensor) for tensor in given]
        if DEVICE == "cuda":
            torch.cuda.current_stream().synchronize()  # jax has streams of its own
        out = functions(implementation)[call.pass_](*given)
        out.block_until_ready()
        to = {"fwd": y, "dgrad": x, "wgrad": w}[call.pass_]
        if to.numel():
            result = torch.from_dlpack(out)
            to.copy_(result if call.pass_ == "wgrad" else result[:call.rows])


MANIFEST = {**ON_DEVICE, **compiled_for("k", "n", "experts"),
            "passes": ["fwd", "dgrad", "wgrad"], "formats": ["bf16"], "weights": ["ekn", "enk"],
            "offsets": ["counts"], "base_bytes": 16, "tail_rows": "undefined", "k_multiple": 64,
            "n_multiple": 64, "max_experts": 64, "max_rows": 1 << 14}


@assay.kernel(**MANIFEST)
def tokamax_mosaic(call):
    run(call, "mosaic")


@assay.kernel(**MANIFEST)
def tokamax_xla(call):
    """The implementation that tokamax takes where it has no kernel of its own."""
    run(call, "xla")
