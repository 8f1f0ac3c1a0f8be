"""sglang's fused_moe_kernel through invoke_fused_moe_kernel, forward, 16-bit, x [rows, k], w
[experts, n, k], int32 counts, with the blocks that moe_align_block_size documents. Nothing is asked
of sizes; weights by tensor descriptors want 16-byte strides and bases.
"""

from peerlib import as_stored, dense, source, stub

# ruff: noqa: E402
import assay
import torch
import triton.language as tl
from torch_operands import IN_STREAM, on_stream, operands


class _Flag:
    def get(self):
        return False


for name in ("sglang", "sglang.kernels", "sglang.kernels.jit", "sglang.kernels.ops",
             "sglang.kernels.ops.quantization", "sglang.srt", "sglang.srt.layers",
             "sglang.srt.layers.moe"):
    stub(name)
# On Hopper sglang launches with programmatic dependent launch; here it is as its function decides.
stub("sglang.kernels.jit.utils", is_arch_support_pdl=lambda: torch.cuda.is_available()
     and torch.cuda.get_device_capability()[0] >= 9)
stub("sglang.kernels.ops.quantization.fp8_kernel", per_token_group_quant_fp8=None,
     scaled_fp8_quant=None, sglang_per_token_group_quant_fp8=None)
stub("sglang.kernels.ops.quantization.int8_kernel", per_token_group_quant_int8=None,
     per_token_quant_int8=None, sglang_per_token_group_quant_int8=None)
stub("sglang.srt.batch_invariant_ops", is_batch_invariant_mode_enabled=lambda: False)
stub("sglang.srt.environ", envs=type("Envs", (), {"__getattr__": lambda *_: _Flag()})())
stub("sglang.srt.layers.moe.utils", get_moe_padding_size=lambda *_: 0)
stub("sglang.srt.utils", cpu_has_amx_support=lambda: False, is_cpu=lambda: False,
     is_cuda=lambda: True, is_hip=lambda: False, is_sm90_supported=lambda: True)
source("sglang/sglang/kernels/ops/moe")
import fused_moe_triton_kernels as sglang_kernels

# get_default_config's, for many tokens and for few.
MANY = {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 32, "GROUP_SIZE_M": 8}
CONFIGS = {"default": MANY, "many": MANY,
           "few": {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 1},
           "tma": {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8}}
TYPES = {torch.bfloat16: tl.bfloat16, torch.float16: tl.float16}


def aligned(counts, tokens_of, block):
    """As moe_align_block_size documents it: each expert's tokens padded to blocks with the number
    of tokens, which is none of them; the expert of each block."""
    ids, experts, first, total = [], [], 0, sum(counts)
    for expert, count in enumerate(counts):
        blocks = -(-count // block)
        ids += tokens_of[first:first + count] + [total] * (blocks * block - count)
        experts += [expert] * blocks
        first += count
    return ids, experts


def invoke(tokens, w, ids, experts, config, **words):
    """[rows, n] in the tokens' own order."""
    def on_device(numbers):
        return torch.tensor(numbers, dtype=torch.int32, device=tokens.device)

    rows, n = tokens.shape[0], w.shape[1]
    out = torch.empty((rows, 1, n), dtype=tokens.dtype, device=tokens.device)
    sglang_kernels.invoke_fused_moe_kernel(
        tokens, w if w.stride(-1) == 1 else w.contiguous(), None, out, None, None, None,
        torch.ones((rows, 1), device=tokens.device),
        torch.empty((rows, 1), dtype=torch.int32, device=tokens.device), on_device(ids),
        on_device(experts), on_device([len(ids)]), False, 1, config, TYPES[tokens.dtype],
        use_fp8_w8a8=False, use_int8_w8a8=False, use_int8_w8a16=False, use_int4_w4a16=False,
        per_channel_quant=False, **words)
    return out[:, 0]


def run(call, config=None, scattered=False, **words):
    with on_stream(call):
        x, w, y, counts = operands(call)
        config = CONFIGS[config or call.tactic]
        total = int(counts.sum())
        tokens_of = torch.randperm(total) if scattered else torch.arange(total)
        ids, experts = aligned(counts.tolist(), tokens_of.tolist(), config["BLOCK_SIZE_M"])
        if not ids:
            return
        tokens, order = dense(x)[:total], tokens_of.to(x.device)
        if scattered:
            tokens = torch.empty_like(tokens)
            tokens[order] = x[:total]
        rows = invoke(tokens, as_stored(call, w), ids, experts, config, **words)
        y[:total].copy_(rows[order] if scattered else rows)


MANIFEST = {**IN_STREAM, "passes": ["fwd"], "formats": ["bf16", "fp16"], "weights": ["enk"],
            "offsets": ["counts"], "base_bytes": 2}
TACTICS = {"tactics": ["few", "many"], "tiles": {"few": [16, 32, 64], "many": [64, 64, 32]}}


@assay.kernel(**MANIFEST, **TACTICS)
def sglang(call):
    run(call)


@assay.kernel(**MANIFEST, **TACTICS)
def sglang_scattered(call):
    """Tokens in their own order, as a layer has them."""
    run(call, scattered=True)


@assay.kernel(**{**MANIFEST, "base_bytes": 16}, k_multiple=8, n_multiple=8, ld_multiple=8)
def sglang_tma(call):
    """Weights by tensor descriptors (b_use_tma)."""
    run(call, "tma", b_use_tma=True)
