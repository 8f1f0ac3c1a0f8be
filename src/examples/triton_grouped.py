"""A persistent grouped product in Triton, forward and dX: every program walks over the tiles of all
experts, whose ends it reads on the device. Needs a GPU, or TRITON_INTERPRET=1.

    assay certify py:triton_grouped.py --profile full
"""

import assay
import torch
import triton
import triton.language as tl
from torch_operands import DEVICE, IN_STREAM, on_stream, operands

TILES = {"default": (64, 128, 64), "rows16": (16, 128, 64), "rows128": (128, 128, 32)}
PROGRAMS_ON_CPU = 3


# Sizes and strides of every case would be a program of their own each.
@triton.jit(do_not_specialize=["experts", "n", "depth", "a_row", "b_expert", "b_row", "out_row"],
            do_not_specialize_on_alignment=["a", "b", "out", "ends"])
def multiply(a, b, out, ends, experts, n, depth, a_row, b_expert, b_row, out_row,
             B_ROW_IS_COLUMN: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr,
             DEPTH: tl.constexpr):
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
            cols = own % tiles_across * COLS + tl.arange(0, COLS)
            b_of_expert = b + tl.cast(expert, tl.int64) * b_expert
            total = tl.zeros((ROWS, COLS), tl.float32)
            for k in range(0, depth, DEPTH):
                ks = k + tl.arange(0, DEPTH).to(tl.int64)
                left = tl.load(a + rows[:, None] * a_row + ks[None, :],
                               mask=(rows[:, None] < end) & (ks[None, :] < depth), other=0.0)
                if B_ROW_IS_COLUMN:
                    b_at = b_of_expert + ks[:, None] + cols[None, :] * b_row
                else:
                    b_at = b_of_expert + ks[:, None] * b_row + cols[None, :]
                right = tl.load(b_at, mask=(ks[:, None] < depth) & (cols[None, :] < n), other=0.0)
                total = tl.dot(left, right, total)
            tl.store(out + rows[:, None] * out_row + cols[None, :],
                     total.to(out.dtype.element_ty),
                     mask=(rows[:, None] < end) & (cols[None, :] < n))
            tile += tl.num_programs(0)
        first_tile = next_tile
        start = end


@assay.kernel(**IN_STREAM, passes=["fwd", "dgrad"],
              formats=["bf16", ("bf16", "fp32"), "fp16", ("fp16", "fp32")],
              weights=["enk", "ekn"], offsets=["ends"], base_bytes=2,
              tactics=["rows16", "rows128"], tiles={"rows16": TILES["rows16"],
                                                    "rows128": TILES["rows128"]})
def triton_grouped(call):
    with on_stream(call):
        x, w, y, ends = operands(call)
        a, out = (x, y) if call.pass_ == "fwd" else (y, x)
        # Whether b, [experts, depth, n], lies column by column.
        by_column = (call.weights == "enk") == (call.pass_ == "fwd")
        w_row = w.stride(2) if call.weights == "enk" else w.stride(1)
        rows, cols, depth = TILES[call.tactic]
        programs = (torch.cuda.get_device_properties(x.device).multi_processor_count
                    if DEVICE == "cuda" else PROGRAMS_ON_CPU)
        multiply[(programs,)](a, w, out, ends, call.experts, out.shape[1], a.shape[1], a.stride(0),
                              w.stride(0), w_row, out.stride(0),
                              B_ROW_IS_COLUMN=by_column, ROWS=rows, COLS=cols, DEPTH=depth)
