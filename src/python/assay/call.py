"""Call: what a Python kernel is given: one grouped product, as assay/abi.h describes it."""

from . import _abi
from .tensor import Tensor


def _number(field):
    return property(lambda self: getattr(self._struct, field))


def _address(field):
    return property(lambda self: getattr(self._struct, field) or 0)


def _tensor(field):
    def read(self):
        pointer = getattr(self._struct, field)
        return Tensor(pointer.contents) if pointer else None

    return property(read)


def _block(field):
    return property(lambda self: tuple(getattr(self._struct, field)))


def _word(field, words):
    return property(lambda self: words[getattr(self._struct, field)])


class Call:
    """fwd y_g = x_g w_g, dgrad x_g = y_g w_g^T, wgrad w_g = x_g^T y_g, for every expert g.

    x is [rows, k], y [rows, n], w [experts, n, k] (weights "enk") or [experts, k, n] ("ekn").
    Write the output in place: y in fwd, x in dgrad, w in wgrad.
    """

    __slots__ = ("_struct",)

    def __init__(self, struct):
        self._struct = struct

    pass_ = _word("pass_", _abi.PASSES)  # "fwd" | "dgrad" | "wgrad"
    convention = _word("convention", _abi.CONVENTIONS)  # what `offsets` holds
    weights = _word("weights", _abi.WEIGHTS)
    accumulate = property(lambda self: self._struct.accumulate != 0)  # add to the output
    experts = _number("experts")
    k = _number("k")
    n = _number("n")
    rows = _number("rows")  # physical ones, padding and tail included
    pad = _number("pad")
    cap = _number("cap")
    x = _tensor("x")
    w = _tensor("w")
    y = _tensor("y")
    offsets = _tensor("offsets")  # None for problems
    sizes = _tensor("sizes")  # None but for starts and problems
    x_ptrs = _address("x_ptrs")  # addresses of pointer arrays, problems only
    w_ptrs = _address("w_ptrs")
    y_ptrs = _address("y_ptrs")
    workspace = _address("workspace")
    workspace_bytes = _number("workspace_bytes")
    stream = _address("stream")  # cudaStream_t; 0 on the CPU
    tactic = property(lambda self: self._struct.tactic.decode())
    threads = _number("threads")
    status = _address("status")
    # Scales of an 8-bit input, else None, and the rows and columns of their blocks; 0: all.
    x_scale = _tensor("x_scale")
    w_scale = _tensor("w_scale")
    y_scale = _tensor("y_scale")
    x_scale_ptrs = _address("x_scale_ptrs")  # problems only
    w_scale_ptrs = _address("w_scale_ptrs")
    y_scale_ptrs = _address("y_scale_ptrs")
    x_scale_block = _block("x_scale_block")
    w_scale_block = _block("w_scale_block")
    y_scale_block = _block("y_scale_block")
    # fp32 beside scales in e4m3 (nv): [1], of w [experts]; else None.
    x_tensor_scale = _tensor("x_tensor_scale")
    w_tensor_scale = _tensor("w_tensor_scale")
    y_tensor_scale = _tensor("y_tensor_scale")

    # How scales lie, and where blocks of several rows begin: see assay/abi.h.
    scale_layout = _word("scale_layout", _abi.SCALE_LAYOUTS)  # "strided" | "32_4_4"
    scale_starts = _word("scale_starts", _abi.SCALE_STARTS)  # "compact" | "aligned"

    bias = _tensor("bias")  # fwd: [experts, n], bias[g] is added to expert g's rows; or None

    @property
    def output(self):
        return {"fwd": self.y, "dgrad": self.x, "wgrad": self.w}[self.pass_]
