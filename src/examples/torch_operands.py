"""What the torch examples share: a call's operands as tensors, and the stream to work in. They run
on the GPU where torch sees one, else on the CPU.
"""

import contextlib
import os

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
ON_DEVICE = {"device": DEVICE}
IN_STREAM = {**ON_DEVICE, "stream_ordered": True} if DEVICE == "cuda" else ON_DEVICE

# What torch's allocator keeps of a call as large as this would lack the next one.
LARGE_BYTES = 1 << 28

# torch.empty is filled with NaN: what a kernel leaves unwritten in an output of its own must not be
# the right answer of an earlier call, whose memory the allocator hands out again.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # torch warns without it
torch.use_deterministic_algorithms(True, warn_only=True)


def operands(call):
    """x [rows, k], w [experts, k, n] in either layout, y [rows, n] and offsets, without a copy."""
    x, w, y, offsets = (None if t is None else torch.from_dlpack(t)
                        for t in (call.x, call.w, call.y, call.offsets))
    return x, (w.transpose(1, 2) if call.weights == "enk" else w), y, offsets


@contextlib.contextmanager
def on_stream(call):
    if DEVICE == "cpu":
        yield
        return
    stream = (torch.cuda.ExternalStream(call.stream) if call.stream
              else torch.cuda.default_stream())
    with torch.cuda.stream(stream):
        yield
        if max(call.rows * call.k, call.rows * call.n,
               call.experts * call.k * call.n) > LARGE_BYTES:
            torch.cuda.empty_cache()
