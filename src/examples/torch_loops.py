"""What a framework without a grouped kernel does, in torch: a product an expert, and one batched
product over buffers that are padded to the largest expert. Both are told counts on the host.

    assay certify py:torch_loops.py:loop --profile full
    assay certify py:torch_loops.py:padded --profile full
    assay certify py:torch_loops.py:loop_with_fp32_sums --profile full
    assay probe py:torch_loops.py:undeclared_loop
"""

import functools

import assay
import torch
from torch_operands import IN_STREAM, ON_DEVICE, on_stream, operands

# torch asks nothing of alignment or strides. It may keep partial sums of a 16-bit product in 16
# bits: torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction, on unless told otherwise.
MANIFEST = {**IN_STREAM, "passes": ["fwd", "dgrad", "wgrad"], "formats": ["bf16", "fp16"],
            "weights": ["enk", "ekn"], "offsets": ["counts:i64:host"], "base_bytes": 2}


def groups(counts):
    """(expert, its rows) of every expert."""
    start = 0
    for expert, count in enumerate(counts):
        yield expert, slice(start, start + count)
        start += count


@assay.kernel(**MANIFEST)
def loop(call):
    with on_stream(call):
        x, w, y, counts = operands(call)
        for expert, rows in groups(counts.tolist()):
            if call.pass_ == "fwd":
                y[rows] = x[rows] @ w[expert]
            elif call.pass_ == "dgrad":
                x[rows] = y[rows] @ w[expert].t()
            else:
                w[expert] = x[rows].t() @ y[rows]


def padded_to(most, rows_of, counts):
    """[experts, most, width]: every expert's rows at the front, zeros behind them."""
    batch = rows_of.new_zeros((len(counts), most, rows_of.shape[1]))
    for expert, rows in groups(counts):
        batch[expert, :counts[expert]] = rows_of[rows]
    return batch


def unpadded(batch, rows_of, counts):
    for expert, rows in groups(counts):
        rows_of[rows] = batch[expert, :counts[expert]]


@assay.kernel(**MANIFEST)
def padded(call):
    with on_stream(call):
        x, w, y, counts = operands(call)
        counts = counts.tolist()
        most = max(counts)
        if call.pass_ == "fwd":
            unpadded(torch.bmm(padded_to(most, x, counts), w), y, counts)
        elif call.pass_ == "dgrad":
            unpadded(torch.bmm(padded_to(most, y, counts), w.transpose(1, 2)), x, counts)
        else:
            w.copy_(torch.bmm(padded_to(most, x, counts).transpose(1, 2),
                              padded_to(most, y, counts)))


def with_fp32_sums(function):
    """The function with those switches off. They are the process's: put back after each call."""
    @functools.wraps(function)
    def run(call):
        switches = torch.backends.cuda.matmul
        before = (switches.allow_bf16_reduced_precision_reduction,
                  switches.allow_fp16_reduced_precision_reduction)
        switches.allow_bf16_reduced_precision_reduction = False
        switches.allow_fp16_reduced_precision_reduction = False
        try:
            return function(call)
        finally:
            (switches.allow_bf16_reduced_precision_reduction,
             switches.allow_fp16_reduced_precision_reduction) = before
    return run


loop_with_fp32_sums = assay.kernel(**MANIFEST)(with_fp32_sums(loop.function))
padded_with_fp32_sums = assay.kernel(**MANIFEST)(with_fp32_sums(padded.function))

# The same as black boxes: what they take is for the probe to find out.
undeclared_loop_with_fp32_sums = assay.kernel(**ON_DEVICE)(loop_with_fp32_sums.function)
undeclared_padded_with_fp32_sums = assay.kernel(**ON_DEVICE)(padded_with_fp32_sums.function)
undeclared_loop = assay.kernel(**ON_DEVICE)(loop.function)
undeclared_padded = assay.kernel(**ON_DEVICE)(padded.function)
