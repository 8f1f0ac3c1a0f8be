"""Where the experts of a call have their rows, read from offsets in the host's memory."""

import ctypes

from . import _abi

_CPU = 1


def _entries(tensor):
    array = tensor.contents
    kind = ctypes.c_int64 if array.bits == 64 else ctypes.c_int32
    count = 1
    for axis in range(array.ndim):
        count *= array.shape[axis]
    return list((kind * count).from_address(array.data)) if count else []


def _align(value, multiple):
    return -(-value // multiple) * multiple


def _from_ends(ends, pad):
    start, groups = 0, []
    for end in ends:
        groups.append((start, end - start))
        start = _align(end, pad)
    return groups


def _from_counts(counts):
    start, groups = 0, []
    for count in counts:
        groups.append((start, count))
        start += count
    return groups


def _from_row_ids(ids, experts):
    counts, starts = [0] * experts, [0] * experts
    for row, expert in enumerate(ids):
        if 0 <= expert < experts:
            starts[expert] = row if counts[expert] == 0 else starts[expert]
            counts[expert] += 1
    return list(zip(starts, counts))


def _from_pointers(struct, sizes):
    """Starts from the addresses of x: (M, N, K) has the rows in M, or in K of wgrad."""
    place = 2 if _abi.PASSES[struct.pass_] == "wgrad" else 0
    counts = sizes[place::3]
    x = struct.x.contents
    row_bytes = x.strides[0] * x.bits // 8
    addresses = (ctypes.c_uint64 * len(counts)).from_address(struct.x_ptrs)
    return [((address - x.data) // row_bytes, count) for address, count in zip(addresses, counts)]


def groups(struct):
    """(first row, rows) of each expert; nothing where the arrays are on a device."""
    told = _abi.CONVENTIONS[struct.convention]
    array = struct.offsets or struct.sizes
    if not array or array.contents.device_type != _CPU:
        return None
    if told == "problems":
        return _from_pointers(struct, _entries(struct.sizes))
    values = _entries(struct.offsets)
    if told == "starts":
        return list(zip(values, _entries(struct.sizes)))
    if told == "indptr":
        return [(start, end - start) for start, end in zip(values, values[1:])]
    if told == "counts":
        return _from_counts(values)
    if told == "row_ids":
        return _from_row_ids(values, struct.experts)
    if told == "masked":
        return [(g * struct.cap, count) for g, count in enumerate(values)]
    return _from_ends(values, struct.pad if told == "padded_ends" else 1)
