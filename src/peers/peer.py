"""Peer: a kernel that is judged, and what is said about it besides."""

from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path("src") / "examples"
FIELD = Path("src") / "peers" / "field"  # adapters of code that collect.py brings


@dataclass(frozen=True)
class Peer:
    name: str  # of its page
    title: str
    kernel: str  # FILE:NAME of Python, below the folder; else a built-in one or a plug-in's path
    black_box: str = ""  # the same without a manifest, for the probe; empty: the kernel itself
    # Whose version counts: torch | triton | jax | cublas, or one of field/sources.json.
    project: str = ""
    documentation: tuple = ()  # what it says, in our words, with the place
    limits: tuple = ()  # what judging it through this plug-in cannot see
    jobs: int = 0  # workers at most; 0: one a core
    deadline: int = 20  # seconds of one call, the first with all that is loaded or compiled then
    certified: bool = True  # False: probed only
    probed: bool = True  # False: each question would have a kernel compiled
    folder: Path = EXAMPLES

    def spec(self, black_box=False):
        word = self.black_box if black_box and self.black_box else self.kernel
        if not word.endswith(".py") and ".py:" not in word:
            return word
        return f"py:{self.folder}/{word}"
