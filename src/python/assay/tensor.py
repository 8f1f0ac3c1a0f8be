"""Tensor: one operand of a call, handed to numpy, torch, cupy or jax without a copy."""

import ctypes

from . import _abi

_CPU, _CUDA = 1, 2
_NAMES = {(0, 8): "int8", (0, 32): "int32", (0, 64): "int64", (1, 8): "uint8", (2, 16): "float16",
          (2, 32): "float32", (4, 16): "bfloat16", (10, 8): "float8_e4m3fn",
          (12, 8): "float8_e5m2", (14, 8): "float8_e8m0fnu", (17, 4): "float4_e2m1fn_x2"}
_TYPESTR = {"int8": "|i1", "int32": "<i4", "int64": "<i8", "uint8": "|u1", "float16": "<f2",
            "float32": "<f4"}
_BITS = {16: "<u2", 8: "|u1", 4: "|u1", 32: "<u4", 64: "<u8"}  # codes of 4 bits come in pairs

_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_IsValid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _free_unused(capsule):
    # A consumer that took the tensor has renamed the capsule, and frees it by itself.
    for name in (b"dltensor", b"dltensor_versioned"):
        if _api.PyCapsule_IsValid(capsule, name):
            _abi.library().assay_dlpack_free_v1(_api.PyCapsule_GetPointer(capsule, name))


class Tensor:
    """Shape, strides (in elements) and memory of an operand; valid until the kernel returns.

    numpy.asarray, torch.from_dlpack, cupy.from_dlpack and jax.dlpack.from_dlpack take it as it is.
    numpy has no bfloat16 and no fp8: there, numpy.asarray(tensor.bits) has the stored bits.
    """

    __slots__ = ("_struct", "_as_bits")

    def __init__(self, struct, as_bits=False):
        self._struct = struct
        self._as_bits = as_bits

    @property
    def shape(self):
        return tuple(self._struct.shape[:self._struct.ndim])

    @property
    def strides(self):
        return tuple(self._struct.strides[:self._struct.ndim])

    @property
    def dtype(self):
        return _NAMES[self._struct.code, self._struct.bits]

    @property
    def data_ptr(self):
        return self._struct.data or 0

    @property
    def device(self):
        kind = "cuda" if self._struct.device_type == _CUDA else "cpu"
        return kind if kind == "cpu" else f"{kind}:{self._struct.device_id}"

    @property
    def bits(self):
        """The same memory, its elements as unsigned integers; pairs of e2m1 codes as bytes."""
        return Tensor(self._struct, as_bits=True)

    def _interface(self):
        struct = self._struct
        typestr = _BITS[struct.bits] if self._as_bits else _TYPESTR.get(self.dtype)
        if typestr is None:
            raise AttributeError(f"numpy has no {self.dtype}: take numpy.asarray(tensor.bits)")
        item = struct.bits * struct.lanes // 8
        return {"version": 3, "typestr": typestr, "shape": self.shape,
                "strides": tuple(stride * item for stride in self.strides),
                "data": (self.data_ptr, False)}

    @property
    def __array_interface__(self):
        if self._struct.device_type != _CPU:
            raise AttributeError(f"a tensor on {self.device} is not an array of the host")
        return self._interface()

    @property
    def __cuda_array_interface__(self):
        if self._struct.device_type != _CUDA:
            raise AttributeError(f"a tensor on {self.device} is not one of a GPU")
        return self._interface()

    def __dlpack_device__(self):
        return self._struct.device_type, self._struct.device_id

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        # The operands were ready before the kernel was called, so that no stream has to wait.
        del stream, dl_device
        if copy:
            raise BufferError("a kernel works on the harness's own memory, not on a copy")
        struct = self._struct
        if self._as_bits:
            struct = _abi.TensorStruct.from_buffer_copy(struct)
            struct.code, struct.bits, struct.lanes = 1, struct.bits * struct.lanes, 1
        versioned = max_version is not None and max_version[0] >= 1
        managed = _abi.library().assay_dlpack_v1(ctypes.byref(struct), int(versioned))
        if not managed:
            raise MemoryError("no memory for a tensor's description")
        name = b"dltensor_versioned" if versioned else b"dltensor"
        return _api.PyCapsule_New(managed, name, ctypes.cast(_free_unused, ctypes.c_void_p))

    def __repr__(self):
        return f"Tensor({self.dtype}, shape={self.shape}, strides={self.strides}, {self.device})"
