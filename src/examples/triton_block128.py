"""A persistent grouped product of e4m3 codes in Triton, scales in blocks of 1x128 by 128x128,
forward and dX: every 128 products are summed from zero and added to the total, times both scales.
Programs walk over the tiles of all experts, whose ends they read on the device. Needs a GPU, or
TRITON_INTERPRET=1.

    assay certify py:triton_block128.py --profile full
"""

import assay
import torch
import triton
import triton.language as tl
from torch_operands import DEVICE, IN_STREAM, on_stream

BLOCK = 128  # products of one pair of scales, and the depth of a tile
# Tiles of fewer than 64 rows are left out: Triton multiplies them without wgmma, and their sums are
# not those of the manifest.
TILES = {"default": (64, 128, BLOCK), "cols64": (64, 64, BLOCK), "rows128": (128, 128, BLOCK)}
ROWS16 = (16, 64, BLOCK)
PROGRAMS_ON_CPU = 3
# Hopper's 8-bit products keep 13 fraction bits; the interpreter's are numpy's.
ARITHMETIC = {"kind": "tensor_core", "products_per_step": 32, "fraction_bits": 13, "out_bits": 13,
              "order": "ascending", "promotion_interval": BLOCK, "scales": "sums"}
ON_CPU = {"kind": "fma", "order": "any", "scales": "sums"}


# Sizes and strides of every case would be a program of their own each. Codes come as bytes: 0 is 0
# in e4m3, too.
@triton.jit(do_not_specialize=["experts", "n", "depth", "a_row", "b_expert", "b_row", "out_row",
                               "a_scale_row", "b_scale_expert", "b_scale_k", "b_scale_n"],
            do_not_specialize_on_alignment=["a", "b", "out", "ends", "a_scale", "b_scale"])
def multiply(a, b, out, ends, a_scale, b_scale, experts, n, depth, a_row, b_expert, b_row, out_row,
             a_scale_row, b_scale_expert, b_scale_k, b_scale_n, B_ROW_IS_COLUMN: tl.constexpr,
             ROWS: tl.constexpr, COLS: tl.constexpr, DEPTH: tl.constexpr):
    tile = tl.program_id(0).to(tl.int64)
    tiles_across = tl.cdiv(n, COLS)
    first_tile = tile * 0
    start = tile * 0
    for expert in range(experts):
        end = tl.load(ends + expert).to(tl.int64)
        next_tile = first_tile + tl.cdiv(end - start, ROWS) * tiles_across
        while tile < next_tile:
            own = tile - first_tile
            rows = start + own // tiles_across * ROWS + tl.arange(0, ROWS)
            first_col = own % tiles_across * COLS
            cols = first_col + tl.arange(0, COLS)
            b_of_expert = b + tl.cast(expert, tl.int64) * b_expert
            a_scales = a_scale + rows * a_scale_row
            # COLS divides the block, so that a tile has one scale of b for each step of k.
            b_scales = (b_scale + tl.cast(expert, tl.int64) * b_scale_expert
                        + first_col // DEPTH * b_scale_n)
            total = tl.zeros((ROWS, COLS), tl.float32)
            for k in range(0, depth, DEPTH):
                ks = k + tl.arange(0, DEPTH).to(tl.int64)
                left = tl.load(a + rows[:, None] * a_row + ks[None, :],
                               mask=(rows[:, None] < end) & (ks[None, :] < depth), other=0)
                if B_ROW_IS_COLUMN:
                    b_at = b_of_expert + ks[:, None] + cols[None, :] * b_row
                else:
                    b_at = b_of_expert + ks[:, None] * b_row + cols[None, :]
                right = tl.load(b_at, mask=(ks[:, None] < depth) & (cols[None, :] < n), other=0)
                block = tl.cast(k // DEPTH, tl.int64)
                scale = tl.load(a_scales + block, mask=rows < end, other=0.0) * tl.load(
                    b_scales + block * b_scale_k)
                total += tl.dot(left.to(tl.float8e4nv, bitcast=True),
                                right.to(tl.float8e4nv, bitcast=True)) * scale[:, None]
            tl.store(out + rows[:, None] * out_row + cols[None, :],
                     total.to(out.dtype.element_ty),
                     mask=(rows[:, None] < end) & (cols[None, :] < n))
            tile += tl.num_programs(0)
        first_tile = next_tile
        start = end


def product(call, tile=None):
    with on_stream(call):
        forward = call.pass_ == "fwd"
        a, w = torch.from_dlpack((call.x if forward else call.y).bits), torch.from_dlpack(
            call.w.bits)
        a_scale = torch.from_dlpack(call.x_scale if forward else call.y_scale)
        w_scale = torch.from_dlpack(call.w_scale)  # [experts, blocks of k, blocks of n]
        b_scale = w_scale if forward else w_scale.transpose(1, 2)
        out = torch.from_dlpack(call.y if forward else call.x)
        ends = torch.from_dlpack(call.offsets)
        # Whether b, [experts, depth, n], lies column by column.
        by_column = (call.weights == "enk") == forward
        rows, cols, depth = tile or TILES[call.tactic]
        programs = (torch.cuda.get_device_properties(a.device).multi_processor_count
                    if DEVICE == "cuda" else PROGRAMS_ON_CPU)
        multiply[(programs,)](a, w, out, ends, a_scale, b_scale, call.experts, out.shape[1],
                              a.shape[1], a.stride(0), w.stride(0), w.stride(1), out.stride(0),
                              a_scale.stride(0), *b_scale.stride(), B_ROW_IS_COLUMN=by_column,
                              ROWS=rows, COLS=cols, DEPTH=depth)


WHAT = {**IN_STREAM, "passes": ["fwd", "dgrad"], "weights": ["enk", "ekn"], "offsets": ["ends"],
        "formats": [{"in": "e4m3/block128", "out": "bf16"}, {"in": "e4m3/block128", "out": "fp32"}]}


@assay.kernel(**WHAT, base_bytes=1, tactics=["cols64", "rows128"],
              tiles={"cols64": TILES["cols64"], "rows128": TILES["rows128"]},
              deterministic=True, batch_invariant=True,
              arithmetic=ARITHMETIC if DEVICE == "cuda" else ON_CPU)
def triton_block128(call):
    product(call)


# The rest is for the probe to find out.
@assay.kernel(**WHAT)
def undeclared(call):
    product(call)


@assay.kernel(**WHAT)
def undeclared_rows16(call):
    product(call, ROWS16)
