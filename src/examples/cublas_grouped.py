"""cuBLAS's grouped product, cublasGemmGroupedBatchedEx, through ctypes: all three passes, counts on
the host, one group an expert. torch lends memory and the stream. Needs a GPU.

    assay certify py:cublas_grouped.py --profile full
"""

import ctypes
import os
import threading

import assay
import torch
from torch_operands import DEVICE, IN_STREAM, ON_DEVICE, on_stream, operands

LIBRARY = os.environ.get("ASSAY_CUBLAS", "libcublas.so.13")

# cublasOperation_t, cublasComputeType_t and cudaDataType, by number.
NOT_TRANSPOSED, TRANSPOSED = 0, 1
IN_FP32 = 68
TYPES = {torch.float32: 0, torch.float16: 2, torch.bfloat16: 14}


class Cublas:
    """The library, with a handle for each stream: calls in one stream are made one at a time."""

    def __init__(self):
        self._library = ctypes.CDLL(LIBRARY)
        self._library.cublasGetStatusString.restype = ctypes.c_char_p
        self._handles = {}
        self._lock = threading.Lock()

    def _check(self, status, name):
        if status != 0:
            text = self._library.cublasGetStatusString(status).decode()
            raise RuntimeError(f"{name} returned {text}")

    def _handle(self, stream):
        if stream not in self._handles:
            handle = ctypes.c_void_p()
            self._check(self._library.cublasCreate_v2(ctypes.byref(handle)), "cublasCreate")
            self._check(self._library.cublasSetStream_v2(handle, ctypes.c_void_p(stream)),
                        "cublasSetStream")
            self._handles[stream] = handle
        return self._handles[stream]

    def version(self):
        number = ctypes.c_int()
        with self._lock:
            self._library.cublasGetVersion_v2(self._handle(0), ctypes.byref(number))
        return f"{number.value // 10000}.{number.value // 100 % 100}.{number.value % 100}"

    def multiply(self, stream, groups, types, pointers, beta):
        """Each group (m, n, k, lda, ldb, ldc, transa, transb) is one column-major product."""
        count = len(groups)
        columns = [(ctypes.c_int * count)(*column) for column in zip(*groups)]
        m, n, k, lda, ldb, ldc, transa, transb = columns
        ones = (ctypes.c_float * count)(*[1] * count)
        betas = (ctypes.c_float * count)(*[beta] * count)
        sizes = (ctypes.c_int * count)(*[1] * count)
        a, b, c = (ctypes.c_void_p(row.data_ptr()) for row in pointers)
        with self._lock:
            status = self._library.cublasGemmGroupedBatchedEx(
                self._handle(stream), transa, transb, m, n, k, ones, a, types[0], lda, b,
                types[0], ldb, betas, c, types[1], ldc, count, sizes, IN_FP32)
        self._check(status, "cublasGemmGroupedBatchedEx")


cublas = Cublas()


def described(matrix):
    """(operation, leading dimension) with which cuBLAS, which counts along columns, reads the
    transpose of a matrix."""
    row, col = matrix.stride()
    is_plain = col == 1 and row >= matrix.shape[1]
    return (NOT_TRANSPOSED, row) if is_plain else (TRANSPOSED, col)


def address(tensor, index):
    """Of a row or an expert: torch has none for what is empty."""
    return tensor.data_ptr() + index * tensor.stride(0) * tensor.element_size()


def product_of(call, x, w, y):
    """a, b and out of out = a b; each is a matrix and its address."""
    transposed = [(matrix.t(), at) for matrix, at in (x, w, y)]
    if call.pass_ == "fwd":
        return x, w, y
    if call.pass_ == "dgrad":
        return y, transposed[1], x
    return (transposed[0], y, w) if call.weights == "ekn" else (transposed[2], x, transposed[1])


# As cuBLAS documents it: 16-bit and fp32 operands, the sum and its scaling in fp32; every group has
# sizes of its own, none below zero. It advises pointers aligned to 16 bytes: with these multiples
# each expert's are.
@assay.kernel(**IN_STREAM, passes=["fwd", "dgrad", "wgrad"], formats=["bf16", "fp16", "fp32"],
              weights=["enk", "ekn"], offsets=["counts:i64:host"], accumulate=True, base_bytes=16,
              k_multiple=8, n_multiple=8, ld_multiple=8)
def cublas_grouped(call):
    with on_stream(call):
        x, w, y, counts = operands(call)
        groups, addresses, start = [], [], 0
        for expert, count in enumerate(counts.tolist()):
            rows = slice(start, start + count)
            (a, a_at), (b, b_at), (out, out_at) = product_of(
                call, (x[rows], address(x, start)), (w[expert], address(w, expert)),
                (y[rows], address(y, start)))
            start += count
            # Row-major out = a b is column-major out^T = b^T a^T.
            (op_b, ld_b), (op_a, ld_a) = described(b), described(a)
            groups.append((out.shape[1], out.shape[0], a.shape[1], ld_b, ld_a, out.stride(0), op_b,
                           op_a))
            addresses.append((b_at, a_at, out_at))
        pointers = torch.tensor(addresses, dtype=torch.int64).t().contiguous().to(DEVICE)
        cublas.multiply(call.stream, groups, (TYPES[a.dtype], TYPES[out.dtype]), pointers,
                        float(call.accumulate))


# The same as a black box: what it takes is for the probe to find out.
undeclared = assay.kernel(**ON_DEVICE)(cublas_grouped.function)
