"""A right forward product of codes of e4m3 or int8 and their scales in numpy, into e4m3 too."""

import assay
import numpy as np


def e4m3():
    code = np.arange(256)
    field, fraction = code >> 3 & 15, code & 7
    size = np.where(field > 0, (8 + fraction) * 2.0 ** (field - 10), fraction * 2.0 ** -9)
    size[(code & 127) == 127] = np.nan
    return np.where(code < 128, size, -size).astype(np.float32)


VALUES = e4m3()


def codes(numbers):
    """The nearest ones, the even one of two, and the largest for what is beyond."""
    finite = VALUES[:127].astype(np.float64)  # not negative, ascending
    middles = (finite[1:] + finite[:-1]) / 2
    size = np.abs(numbers)
    low, high = np.searchsorted(middles, size), np.searchsorted(middles, size, "right")
    code = np.where(low % 2 == 0, low, high)
    return np.where(np.isnan(numbers), 127, code | np.where(np.signbit(numbers), 128, 0))


def values(tensor):
    if tensor.dtype == "int8":
        return np.asarray(tensor).astype(np.float32)
    return VALUES[np.asarray(tensor.bits)]


def numbers(scales):
    return np.asarray(scales) if scales.dtype == "float32" else values(scales)


def spread(scales, block, shape):
    """Each scale for all elements of its block."""
    for axis in (0, 1):
        scales = np.repeat(scales, block[axis] or shape[axis], axis)
    return scales[:shape[0], :shape[1]]


def tensor_scale(tensor, experts):
    """One for each expert."""
    scales = np.ones(1, np.float32) if tensor is None else np.asarray(tensor)
    return np.broadcast_to(scales, experts)


def from_tiles(tiles, across, along):
    """One expert's grid of 32_4_4 as [across, along]."""
    tiles_along = -(-along // 4)
    grid = tiles.reshape(-1, tiles_along, 32, 4, 4).transpose(0, 3, 2, 1, 4)
    return grid.reshape(-1, tiles_along * 4)[:across, :along]


def blocks(length, block):
    return -(-length // block) if block else 1


def scales_of_rows(call, starts, ends):
    """x_scale, a row of the grid a physical row."""
    scales, (rows, cols) = numbers(call.x_scale), call.x_scale_block
    if call.scale_layout == "strided":
        return scales
    assert rows == 1
    along, first = blocks(call.k, cols), 0
    grid = np.ones((call.rows, along), np.float32)
    for start, end in zip(starts, ends):
        size = -(-(end - start) // 128) * -(-along // 4) * 512
        grid[start:end] = from_tiles(scales[first:first + size], end - start, along)
        first += size
    return grid


def scales_of_weights(call, g):
    """[blocks of k, blocks of n]."""
    scales, (rows, cols) = numbers(call.w_scale)[g], call.w_scale_block
    if call.scale_layout == "strided":
        return scales
    return from_tiles(scales, blocks(call.n, cols), blocks(call.k, rows)).T


@assay.kernel(passes=["fwd"], formats=[{"in": "e4m3/row", "out": "fp32"},
                                       {"in": "e4m3/block128", "out": "fp32"},
                                       {"in": "e4m3/nv", "out": "fp32"},
                                       {"in": "int8/row", "out": "fp32"},
                                       {"in": "e4m3/block128", "out": "e4m3/tensor"}],
              weights=["enk", "ekn"], offsets=["ends"], base_bytes=4, scale_pitches=[0, 4],
              scale_layouts=["strided", "32_4_4"], overflow="codes_saturated",
              arithmetic={"kind": "fma", "order": "any", "scales": "operands"})
def scaled(call):
    ends = np.asarray(call.offsets)
    starts = np.concatenate(([0], ends[:-1]))
    x = values(call.x)
    x *= spread(scales_of_rows(call, starts, ends), call.x_scale_block, x.shape)
    x *= tensor_scale(call.x_tensor_scale, 1)
    of_w = tensor_scale(call.w_tensor_scale, call.experts)
    w = values(call.w)
    y = np.asarray(call.y.bits if call.y.dtype.startswith("float8") else call.y)
    of_y = np.asarray(call.y_scale)[0, 0] if call.y_scale is not None else None
    for g, (start, end) in enumerate(zip(starts, ends)):
        w_g = w[g].T if call.weights == "enk" else w[g]  # [k, n] in either layout
        w_g = w_g * spread(scales_of_weights(call, g), call.w_scale_block, w_g.shape) * of_w[g]
        product = x[start:end] @ w_g
        y[start:end] = product if of_y is None else codes(product * of_y)
