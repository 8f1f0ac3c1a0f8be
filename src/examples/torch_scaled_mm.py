"""torch's _scaled_grouped_mm on fp8 with a scale for each row (RowWise): forward.

    assay certify py:torch_scaled_mm.py:rowwise --profile full
    assay probe py:torch_scaled_mm.py:rowwise
    assay certify py:torch_scaled_mm.py:dequantised --profile quick

The second needs no GPU: it multiplies codes and scales, and adds up in fp32.
"""

import assay
import torch
from torch_operands import IN_STREAM, on_stream

SCALED = [{"in": "e4m3/row", "out": "bf16"}]
# torch asks for sizes and strides of 16 bytes and a right operand by columns. It leaves rows past
# the last end uninitialised.
MANIFEST = {**IN_STREAM, "formats": SCALED, "weights": ["enk"], "offsets": ["ends"],
            "base_bytes": 16, "k_multiple": 16, "n_multiple": 16, "ld_multiple": 16,
            "tail_rows": "undefined", "max_experts": 1023, "deterministic": True}
# Hopper's 8-bit products: 13 fraction bits, promoted to fp32 after 128 of them.
HOPPER = {"kind": "tensor_core", "products_per_step": 32, "fraction_bits": 13, "out_bits": 13,
          "order": "ascending", "promotion_interval": 128, "scales": "end"}


def codes(tensor):
    """numpy and older torch have no fp8 in DLPack: the bytes are those of float8_e4m3fn."""
    return torch.from_dlpack(tensor.bits).view(torch.float8_e4m3fn)


def multiply(call):
    with on_stream(call):
        y = torch.from_dlpack(call.y)
        x_scale = torch.from_dlpack(call.x_scale)[:, 0]  # [rows]
        w_scale = torch.from_dlpack(call.w_scale)[:, 0, :]  # [experts, n]
        y.copy_(torch._scaled_grouped_mm(
            codes(call.x), codes(call.w).transpose(1, 2), x_scale.contiguous(),
            w_scale.contiguous(), offs=torch.from_dlpack(call.offsets), out_dtype=torch.bfloat16,
            use_fast_accum=False))


@assay.kernel(**{**MANIFEST, "passes": ["fwd"], "arithmetic": HOPPER})
def rowwise(call):
    multiply(call)


@assay.kernel(**{**MANIFEST, "passes": ["fwd"]})
def undeclared(call):
    multiply(call)


@assay.kernel(**{**MANIFEST, "passes": ["fwd"], "base_bytes": 1, "k_multiple": 1,
                 "n_multiple": 1, "ld_multiple": 1, "tail_rows": "untouched",
                 "arithmetic": {"kind": "fma", "order": "any", "scales": "operands"}})
def dequantised(call):
    with on_stream(call):
        x = codes(call.x).float() * torch.from_dlpack(call.x_scale)
        w = codes(call.w).float() * torch.from_dlpack(call.w_scale).transpose(1, 2)
        y, start = torch.from_dlpack(call.y), 0
        for expert, end in enumerate(torch.from_dlpack(call.offsets).tolist()):
            y[start:end] = (x[start:end] @ w[expert].T).to(y.dtype)
            start = end
