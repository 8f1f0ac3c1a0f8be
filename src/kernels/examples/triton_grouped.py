"""A persistent grouped product in Triton, forward and dX: every program walks over the tiles of all
experts, whose ends it reads on the device. Needs a GPU.

    assay certify py:triton_grouped.py --profile full
"""

import assay
import torch
import triton
import triton.language as tl

TILES = {"default": (64, 128, 64), "rows16": (16, 128, 64), "rows128": (128, 128, 32)}


@triton.jit
def multiply(a, b, out, ends, experts, n, depth, a_row, b_expert, b_depth, b_col, out_row,
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
            cols = own % tiles_across * COLS + tl.arange(0, COLS)
            total = tl.zeros((ROWS, COLS), tl.float32)
            for k in range(0, depth, DEPTH):
                ks = k + tl.arange(0, DEPTH).to(tl.int64)
                left = tl.load(a + rows[:, None] * a_row + ks[None, :],
                               mask=(rows[:, None] < end) & (ks[None, :] < depth), other=0.0)
                right = tl.load(b + expert * b_expert + ks[:, None] * b_depth
                                + cols[None, :] * b_col,
                                mask=(ks[:, None] < depth) & (cols[None, :] < n), other=0.0)
                total = tl.dot(left, right, total)
            tl.store(out + rows[:, None] * out_row + cols[None, :],
                     total.to(out.dtype.element_ty),
                     mask=(rows[:, None] < end) & (cols[None, :] < n))
            tile += tl.num_programs(0)
        first_tile = next_tile
        start = end


@assay.kernel(device="cuda", passes=["fwd", "dgrad"],
              formats=["bf16", ("bf16", "fp32"), "fp16", ("fp16", "fp32")],
              weights=["enk", "ekn"], offsets=["ends"], base_bytes=2, stream_ordered=True,
              tactics=["rows16", "rows128"], tiles={"rows16": TILES["rows16"],
                                                    "rows128": TILES["rows128"]})
def triton_grouped(call):
    x, w, y, ends = (torch.from_dlpack(t) for t in (call.x, call.w, call.y, call.offsets))
    w = w.transpose(1, 2) if call.weights == "enk" else w  # [experts, k, n]
    a, out = (x, y) if call.pass_ == "fwd" else (y, x)
    b = w if call.pass_ == "fwd" else w.transpose(1, 2)
    rows, cols, depth = TILES[call.tactic]
    programs = torch.cuda.get_device_properties(x.device).multi_processor_count
    stream = (torch.cuda.ExternalStream(call.stream) if call.stream
              else torch.cuda.default_stream())
    with torch.cuda.stream(stream):
        multiply[(programs,)](a, b, out, ends, call.experts, out.shape[1], a.shape[1],
                              a.stride(0), b.stride(0), b.stride(1), b.stride(2), out.stride(0),
                              ROWS=rows, COLS=cols, DEPTH=depth)
