"""A grouped product in numpy: all three passes in fp32. Needs python3-numpy."""

import assay
import numpy as np


@assay.kernel(passes=["fwd", "dgrad", "wgrad"], formats=["fp32"], weights=["enk", "ekn"],
              offsets=["ends", "indptr"], accumulate=True, bias=["fp32"], base_bytes=4,
              arithmetic={"kind": "fma", "order": "any"})
def numpy_grouped(call):
    x, w, y, offsets = (np.asarray(t) for t in (call.x, call.w, call.y, call.offsets))
    ends = offsets if call.convention == "ends" else offsets[1:]
    bias = np.asarray(call.bias) if call.bias is not None else None
    start = 0
    for g, end in enumerate(ends):
        rows = slice(start, end)
        w_g = w[g].T if call.weights == "enk" else w[g]  # [k, n] in either layout
        if call.pass_ == "fwd":
            y[rows] = x[rows] @ w_g + (0 if bias is None else bias[g])
        elif call.pass_ == "dgrad":
            x[rows] = y[rows] @ w_g.T
        elif call.accumulate:
            w_g += x[rows].T @ y[rows]
        else:
            w_g[...] = x[rows].T @ y[rows]
        start = end
