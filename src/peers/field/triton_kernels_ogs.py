"""OpenAI's triton_kernels.matmul_ogs, the copy that sgl-kernel ships, with ragged rows: forward,
and dX with the weights transposed (a view). x [rows, k], w [experts, k, n] in either layout, int32
counts; nothing is asked of sizes or strides.
"""

from peerlib import source

# ruff: noqa: E402
import assay
from torch_operands import IN_STREAM, on_stream, operands

source("triton_kernels")
from triton_kernels.matmul_ogs import PrecisionConfig, matmul_ogs
from triton_kernels.routing import RoutingData, compute_expt_data


def run(call):
    with on_stream(call):
        x, w, y, counts = operands(call)
        total = int(counts.sum())
        if total == 0:
            return
        routing = RoutingData(None, counts, call.experts, 1,
                              compute_expt_data(counts, call.experts, total))
        left, right, out = (x, w, y) if call.pass_ == "fwd" else (y, w.transpose(1, 2), x)
        out[:total].copy_(matmul_ogs(left[:total], right, None, routing_data=routing,
                                     precision_config=PrecisionConfig(allow_tf32=False)))


MANIFEST = {**IN_STREAM, "passes": ["fwd", "dgrad"], "formats": ["bf16", "fp16"],
            "weights": ["enk", "ekn"], "offsets": ["counts"], "base_bytes": 2}
triton_kernels_ogs = assay.kernel(**MANIFEST)(run)


@assay.kernel(**{**MANIFEST, "base_bytes": 16}, k_multiple=8, n_multiple=8, ld_multiple=8)
def triton_kernels_ogs_tma(call):
    """Strides and addresses that TMA takes."""
    run(call)
