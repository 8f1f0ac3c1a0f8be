"""The words of a case's line: what is usual, and the line without it."""

from itertools import groupby

DEFAULTS = {"in": "bf16", "acc": "0", "bias": "none", "offsets": "ends", "pad": "1", "cap": "0",
            "tail": "0", "weights": "enk", "ld": "0", "wpitch": "0", "base": "0",
            "scale_pitch": "0", "scale_layout": "strided", "scale_starts": "compact",
            "pointers": "in_order", "fill": "integers", "seed": "0", "tactic": "default",
            "exec": "plain"}


def rows_of(text):
    """`3,0*2` as [3, 0, 0]."""
    rows = []
    for item in text.split(","):
        value, _, count = item.partition("*")
        rows += [int(value)] * int(count or 1)
    return rows


def short(line, most_rows=None):
    """Without the words that say what is usual anyway, rows in run lengths; with `most_rows`, no
    more of them than that."""
    words = dict(word.split("=", 1) for word in line.split())
    usual = {**DEFAULTS, "out": words.get("in", DEFAULTS["in"]),
             "told": words.get("offsets", DEFAULTS["offsets"])}
    runs = [(value, len(list(run))) for value, run in groupby(rows_of(words["rows"]))]
    parts = [part for value, count in runs
             for part in ([f"{value}*{count}"] if count > 2 else [str(value)] * count)]
    if most_rows and len(parts) > most_rows:
        parts[most_rows:] = [f"...({sum(count for _, count in runs)}_experts)"]
    words["rows"] = ",".join(parts)
    return " ".join(f"{key}={value}" for key, value in words.items() if usual.get(key) != value)
