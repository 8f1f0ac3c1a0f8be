"""torch's scaled products on fp8, forward: _scaled_grouped_mm with a scale for each row (RowWise),
and scales of blocks of 128, for which torch has a product of two matrices only.

    assay certify py:torch_scaled_mm.py:rowwise --profile full
    assay certify py:torch_scaled_mm.py:block128 --profile full
    assay certify py:torch_scaled_mm.py:block128_private --profile full
    assay certify py:torch_scaled_mm.py:rows_of_both --profile full
    assay certify py:torch_scaled_mm.py:squares_by_rows --profile full
    assay probe py:torch_scaled_mm.py:undeclared
    assay certify py:torch_scaled_mm.py:dequantised --profile quick

The last needs no GPU: it multiplies codes and scales, and adds up in fp32.
"""

import functools

import assay
import torch
from torch_loops import groups
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


# The loop over experts is told counts on the host, and writes their rows only.
LOOP = {**MANIFEST, "passes": ["fwd"], "offsets": ["counts:i64:host"], "tail_rows": "untouched"}
del LOOP["max_experts"]
# cuBLAS takes columns of x's scales, [rows, blocks of k], whose pitch is a multiple of 16 bytes.
BLOCK128 = {**LOOP, "formats": [{"in": "e4m3/block128", "out": "bf16"}], "row_multiple": 4}
ROWS = {**LOOP, "formats": [{"in": "e4m3/1x128,1x128:fp32", "out": "bf16"}], "row_multiple": 4}
SQUARES = {**LOOP, "formats": [{"in": "e4m3/128x128,1x128:fp32", "out": "bf16"}]}
SUMS = {"arithmetic": {**HOPPER, "scales": "sums"}}
# With 1x128 twice, sums are multiplied by x's scale and rounded, and by w's as they are added: no
# declaration says that.
NO_SCALES = {"arithmetic": {key: word for key, word in HOPPER.items() if key != "scales"}}


def by_columns(scales, length=0):
    """A copy of [length, blocks] by columns; what `scales` lacks in length is 0."""
    given, blocks = scales.shape
    dense = scales.new_zeros((blocks, max(length, given)))
    dense[:, :given] = scales.t()
    return dense.t()


def an_expert_at_a_time(call, one_product, of_w, of_x=by_columns):
    """of_w, of_x: an expert's scales in the layout asked for, from 16-byte addresses on."""
    with on_stream(call):
        x, w, y = codes(call.x), codes(call.w), torch.from_dlpack(call.y)
        x_scale, w_scale = torch.from_dlpack(call.x_scale), torch.from_dlpack(call.w_scale)
        across, first = call.x_scale_block[0], 0
        for expert, rows in groups(torch.from_dlpack(call.offsets).tolist()):
            blocks = -(-(rows.stop - rows.start) // across)
            own = rows if across == 1 else slice(first, first + blocks)
            if blocks:
                y[rows] = one_product(x[rows], w[expert].t(), of_x(x_scale[own]),
                                      of_w(w_scale[expert]))
            first += blocks


def by_fours(scales):
    """Scales of 128x128, [blocks of k, blocks of the other axis]: blocks of k in whole fours."""
    return by_columns(scales, -(-scales.shape[0] // 4) * 4)


def scaled_mm(x_kind, w_kind):
    kinds = torch.nn.functional.ScalingType
    x_kind, w_kind = getattr(kinds, x_kind), getattr(kinds, w_kind)
    return lambda x, w, x_scale, w_scale: torch.nn.functional.scaled_mm(
        x, w, x_scale, x_kind, w_scale, w_kind, output_dtype=torch.bfloat16)


def multiply_block128(call):
    an_expert_at_a_time(call, scaled_mm("BlockWise1x128", "BlockWise128x128"), by_fours)


def multiply_block128_private(call):
    """The older call finds the recipe by the shapes, and takes columns of w's scales without gaps
    only."""
    an_expert_at_a_time(call, functools.partial(torch._scaled_mm, out_dtype=torch.bfloat16),
                        by_columns)


def multiply_rows(call):
    an_expert_at_a_time(call, scaled_mm("BlockWise1x128", "BlockWise1x128"),
                        lambda scales: by_columns(scales.t()))


def multiply_squares(call):
    an_expert_at_a_time(call, scaled_mm("BlockWise128x128", "BlockWise1x128"),
                        lambda scales: by_columns(scales.t()),
                        lambda scales: by_fours(scales.t()))


block128 = assay.kernel(**BLOCK128, **SUMS)(multiply_block128)
block128_private = assay.kernel(**BLOCK128, **SUMS)(multiply_block128_private)
rows_of_both = assay.kernel(**ROWS, **NO_SCALES)(multiply_rows)
squares_by_rows = assay.kernel(**SQUARES, **SUMS)(multiply_squares)

# The same without the arithmetic.
undeclared_block128 = assay.kernel(**BLOCK128)(multiply_block128)
undeclared_block128_private = assay.kernel(**BLOCK128)(multiply_block128_private)
undeclared_squares_by_rows = assay.kernel(**SQUARES)(multiply_squares)


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
