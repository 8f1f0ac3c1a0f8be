import assay
from base import FORWARD, forward

calls = 0


@assay.kernel(**FORWARD)
def fails_after_fifty_calls(call):
    global calls
    calls += 1
    y = forward(call)
    if calls > 50 and call.rows > 0:
        y[0] += 1
