"""Prints the versions of what the peers need, and what they say about themselves, as JSON."""

import importlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src" / "python"), str(ROOT / "src" / "examples")]


def tried(function):
    try:
        return function()
    except Exception as error:  # pylint: disable=broad-except
        return f"{type(error).__name__}: {error}"[:300]


def version(name):
    return tried(lambda: importlib.import_module(name).__version__)


def gpu():
    words = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    return subprocess.run(words, check=True, text=True, capture_output=True).stdout.strip()


def docstring(module, path):
    found = importlib.import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found.__doc__


DOCSTRINGS = {"torch.nn.functional.grouped_mm": ("torch", "nn.functional.grouped_mm"),
              "jax.lax.ragged_dot": ("jax", "lax.ragged_dot")}


def collected():
    """Of the code that field/collect.py brought: the wheel's version, or the commit."""
    folder = Path(os.environ.get("ASSAY_PEERS", ROOT / "build" / "peers"))
    found = json.loads((folder / "versions.json").read_text())
    return {name: what.get("version") or what["commit"][:12] for name, what in found.items()}


def main():
    field = tried(collected)
    print(json.dumps({
        **(field if isinstance(field, dict) else {}),
        "python": platform.python_version(),
        "gpu": tried(gpu),
        **{name: version(name) for name in ("torch", "triton", "jax", "numpy",
                                                "transformers")},
        "jaxBackend": tried(lambda: importlib.import_module("jax").default_backend()),
        "cublas": tried(lambda: importlib.import_module("cublas_grouped").cublas.version()),
        "docstrings": {name: tried(lambda place=place: docstring(*place))
                       for name, place in DOCSTRINGS.items()}}))


if __name__ == "__main__":
    main()
