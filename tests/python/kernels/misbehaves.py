import ctypes
import time

import assay
from base import FORWARD, forward


@assay.kernel(**FORWARD)
def hangs(call):
    forward(call)
    while call.k % 8 == 3:
        time.sleep(1)


@assay.kernel(**FORWARD)
def segfaults(call):
    forward(call)
    if call.n % 8 == 3:
        ctypes.string_at(8)


@assay.kernel(**FORWARD)
def raises(call):
    forward(call)
    if call.k > 40:
        raise ValueError(f"k={call.k} is\nbeyond me")


@assay.kernel(**FORWARD)
def refuses(call):
    if call.k > 40:
        raise assay.Unsupported("k is beyond me")
    forward(call)


@assay.kernel(**FORWARD)
def leaves(call):
    forward(call)
    if call.k > 40:
        raise SystemExit(3)
