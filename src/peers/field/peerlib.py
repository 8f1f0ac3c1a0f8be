"""What the adapters share: where other projects' code lies, and the gradients of a function.

The code is none of ours and not in this repository: collect.py puts it in a folder that the
environment variable ASSAY_PEERS names (default: build/peers).
"""

import os
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SOURCES = Path(os.environ.get("ASSAY_PEERS", ROOT / "build" / "peers"))
sys.path.append(str(ROOT / "src" / "examples"))

# ruff: noqa: E402
import torch
from torch_operands import DEVICE

# What the kernels of a JIT are asked: operands without gaps, and few shapes.
DENSE = {"strides": "dense"}


def compiled_for(*words):
    return {"compiled_for": list(words)}


def source(folder):
    """Puts a folder of collected code first in the import path."""
    if not (SOURCES / folder).is_dir():
        raise ImportError(f"there is no {SOURCES / folder}: collect.py makes it, ASSAY_PEERS names "
                          f"its parent")
    sys.path.insert(0, str(SOURCES / folder))


def stub(name, **attributes):
    """A module that a peer imports and this judging does not need."""
    module = types.ModuleType(name)
    module.__dict__.update(attributes)
    module.__path__ = []
    sys.modules[name] = module
    parent, _, leaf = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], leaf, module)
    return module


def package(name, folder):
    """A package of collected code without what its __init__ imports besides."""
    stub(name).__path__ = [str(SOURCES / folder)]


def as_stored(call, w):
    """The weights of `operands`, [experts, k, n], as they lie: [experts, n, k] where enk."""
    return w.transpose(1, 2) if call.weights == "enk" else w


def dense(tensor):
    return tensor if tensor.is_contiguous() else tensor.contiguous()


def wanted(call):
    """The operand whose gradient is asked for, or none."""
    return {"dgrad": "x", "wgrad": "w"}.get(call.pass_)


def leaves(call, x, w):
    """x and w as autograd's leaves. The one whose gradient is asked for holds poison: only its
    shape and strides count."""
    name = wanted(call)
    x_leaf = torch.zeros_like(x) if name == "x" else x.detach()
    w_leaf = torch.zeros_like(w) if name == "w" else w.detach()
    if name:
        (x_leaf if name == "x" else w_leaf).requires_grad_()
    return x_leaf, w_leaf


def pin(kernel, **wanted_values):
    """Leaves an autotuned kernel one configuration, the first with these values: no benchmark."""
    for config in kernel.configs:
        have = {**config.kwargs, "num_warps": config.num_warps, "num_stages": config.num_stages}
        if all(have.get(key) == value for key, value in wanted_values.items()):
            kernel.configs = [config]
            return config
    raise LookupError(f"no configuration with {wanted_values}")


class _NoGpu:
    """What peers ask of a GPU where Triton interprets on the CPU."""

    multi_processor_count = 3
    max_shared_mem = 232448
    major, minor = 9, 0
    name = "none"


if DEVICE == "cpu":
    torch.cuda.get_device_properties = lambda *_: _NoGpu()
    torch.cuda.get_device_capability = lambda *_: (9, 0)
    torch.cuda.current_device = lambda: 0
