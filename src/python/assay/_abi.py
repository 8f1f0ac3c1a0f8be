"""assay_call of assay/abi.h as ctypes structures, and the library that holds the worker."""

import ctypes
from pathlib import Path

OK, UNSUPPORTED, ERROR = 0, 1, 2

PASSES = ("fwd", "dgrad", "wgrad")
WEIGHTS = ("enk", "ekn")
SCALE_LAYOUTS = ("strided", "32_4_4")
SCALE_STARTS = ("compact", "aligned")
CONVENTIONS = ("ends", "starts", "indptr", "counts", "row_ids", "masked", "padded_ends",
               "problems")


class TensorStruct(ctypes.Structure):
    """DLTensor, field for field."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_Tensor = ctypes.POINTER(TensorStruct)


class CallStruct(ctypes.Structure):
    _fields_ = [("struct_size_bytes", ctypes.c_uint64), ("pass_", ctypes.c_int32),
                ("convention", ctypes.c_int32), ("weights", ctypes.c_int32),
                ("accumulate", ctypes.c_int32), ("experts", ctypes.c_int64),
                ("k", ctypes.c_int64), ("n", ctypes.c_int64), ("rows", ctypes.c_int64),
                ("pad", ctypes.c_int64), ("cap", ctypes.c_int64), ("x", _Tensor), ("w", _Tensor),
                ("y", _Tensor), ("offsets", _Tensor), ("sizes", _Tensor),
                ("x_ptrs", ctypes.c_void_p), ("w_ptrs", ctypes.c_void_p),
                ("y_ptrs", ctypes.c_void_p), ("workspace", ctypes.c_void_p),
                ("workspace_bytes", ctypes.c_uint64), ("stream", ctypes.c_void_p),
                ("tactic", ctypes.c_char_p), ("threads", ctypes.c_int32),
                ("reserved", ctypes.c_int32), ("status", ctypes.c_void_p),
                ("message", ctypes.c_void_p), ("message_bytes", ctypes.c_uint64),
                ("x_scale", _Tensor), ("w_scale", _Tensor), ("y_scale", _Tensor),
                ("x_scale_ptrs", ctypes.c_void_p), ("w_scale_ptrs", ctypes.c_void_p),
                ("y_scale_ptrs", ctypes.c_void_p),
                ("x_scale_block", ctypes.c_int64 * 2), ("w_scale_block", ctypes.c_int64 * 2),
                ("y_scale_block", ctypes.c_int64 * 2), ("x_tensor_scale", _Tensor),
                ("w_tensor_scale", _Tensor), ("y_tensor_scale", _Tensor),
                ("scale_layout", ctypes.c_int32), ("scale_starts", ctypes.c_int32),
                ("bias", _Tensor)]


LOAD = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_char_p))
RUN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(CallStruct))
MODULES = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.POINTER(ctypes.c_char_p))


def _open():
    library = ctypes.CDLL(str(Path(__file__).parent / "libassay-worker.so"))
    size = ctypes.c_uint64.in_dll(library, "assay_call_bytes_v1").value
    if size != ctypes.sizeof(CallStruct):
        raise ImportError(f"libassay-worker.so passes an assay_call of {size} bytes, this package "
                          f"reads {ctypes.sizeof(CallStruct)}: they are of different versions")
    library.assay_serve_v1.argtypes = [ctypes.c_int, LOAD, RUN, MODULES]
    library.assay_dlpack_v1.argtypes = [_Tensor, ctypes.c_int]
    library.assay_dlpack_v1.restype = ctypes.c_void_p
    library.assay_dlpack_free_v1.argtypes = [ctypes.c_void_p]
    library.assay_dlpack_free_v1.restype = None
    return library


_library = None


def library():
    """The worker's library, opened on first use: only a worker process needs it."""
    global _library
    if _library is None:
        _library = _open()
    return _library
