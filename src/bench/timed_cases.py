"""Cases, order and statistics of torch_grouped_mm.py, which need no torch."""

import statistics
from pathlib import Path


class BadInput(Exception):
    """One line for the user."""


class Case:
    def __init__(self, name, k, n, counts):
        self.name, self.k, self.n, self.counts = name, k, n, counts
        self.experts, self.rows = len(counts), sum(counts)
        self.starts = [0]
        for count in counts:
            self.starts.append(self.starts[-1] + count)


def whole(word, what):
    if not word.strip().isdigit():
        raise BadInput(f"'{word}' is no {what}: expected a whole number")
    return int(word)


def read_cases(path, wanted):
    cases = []
    for line in Path(path).read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, k, n, *counts = line.split(",")
        if not counts:
            raise BadInput(f"'{line}': expected name,k,n,rows of expert 0,1,...")
        cases.append(Case(name, whole(k, "k"), whole(n, "n"),
                          [whole(count, "number of rows") for count in counts]))
    names = [case.name for case in cases]
    for name in wanted:
        if name not in names:
            raise BadInput(f"--case '{name}' is none of {', '.join(names)}")
    return [case for case in cases if not wanted or case.name in wanted]


def read_recording(word, k, n):
    """FILE:STEP:LAYER, a line of a CSV file with the header step,layer,e0,e1,..."""
    path, step, layer = (word.rsplit(":", 2) + ["", ""])[:3]
    key = [str(whole(step, "step")), str(whole(layer, "layer"))]
    for line in Path(path).read_text().splitlines():
        values = line.split(",")
        if values[:2] == key:
            name = f"recorded({Path(path).stem},{step},{layer})"
            return Case(name, k, n, [int(value) for value in values[2:]])
    raise BadInput(f"'{path}' has no line for step {step}, layer {layer}")


def alternating_order(count, number):
    order = [(i + number // 2) % count for i in range(count)]
    return order[::-1] if number % 2 else order


def spread(samples):
    if len(samples) < 4:
        return 0.0
    low, middle, high = statistics.quantiles(samples, n=4, method="inclusive")
    return (high - low) / middle


def median_ratio(one, other):
    return statistics.median(a / b for a, b in zip(one, other))
