"""A right forward product in numpy, which the kernels beside it spoil."""

import numpy as np

FORWARD = {"passes": ["fwd"], "formats": ["fp32"], "weights": ["ekn"], "offsets": ["ends"],
           "base_bytes": 4, "arithmetic": {"kind": "fma"}}


def forward(call, rows_of=slice):
    x, w, y, ends = (np.asarray(t) for t in (call.x, call.w, call.y, call.offsets))
    start = 0
    for g, end in enumerate(ends):
        rows = rows_of(start, end)
        y[rows] = x[rows] @ w[g]
        start = end
    return y
