"""A case as its line says it, and what its product is by plain float64 arithmetic: none of the
harness's code, so that a finding is confirmed by something else than what found it.
"""

import re
from dataclasses import dataclass

import numpy as np
from case_words import DEFAULTS, rows_of

# (bits of the significand, largest finite number, smallest positive number)
FORMATS = {"bf16": (8, 3.3895313892515355e38, 2.0**-133), "fp16": (11, 65504.0, 2.0**-24),
           "fp32": (24, 3.4028234663852886e38, 2.0**-149)}
EXACT_FILLS = {"integers", "anchored", "coded", "sparse"}
# An accumulator as coarse as the coarsest in use, that of 8-bit inputs apart, summed in any order
# with so many partial sums.
ACCUMULATOR_BITS, PARTIAL_SUMS = 21, 64
ACCUMULATOR_BITS_OF = {"e4m3": 12}
# Elements across and along the reduction of one scale, of the left operand and of w; 0: all.
RECIPES = {"row": ((1, 0), (1, 0)), "block128": ((1, 128), (128, 128)),
           "1x128,1x128:fp32": ((1, 128), (1, 128)), "128x128,1x128:fp32": ((128, 128), (1, 128))}


@dataclass
class Case:
    words: dict
    rows: list

    @property
    def starts(self):
        return [0, *np.cumsum(self.rows).tolist()]

    def __getitem__(self, key):
        return self.words[key]

    def number(self, key):
        return int(self.words[key])


def parse(line):
    words = dict(word.split("=", 1) for word in line.split())
    words = {**DEFAULTS, **words}
    words.setdefault("out", words["in"])
    words.setdefault("told", words["offsets"])
    return Case(words, rows_of(words["rows"]))


def per_operand(text):
    """`ld=x:8,w:0,y:16`, or one number for all three."""
    if ":" not in text:
        return {role: int(text) for role in "xwy"}
    return {role: int(number) for role, number in re.findall(r"([xwy]):(\d+)", text)}


def rounded(values, name):
    """To the format, to nearest, ties to even; beyond the largest number to infinity."""
    bits, largest, smallest = FORMATS[name]
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(values)
        step = np.maximum(np.ldexp(1.0, exponent - bits), smallest)
        near = np.where(np.isfinite(values), np.rint(values / step) * step, values)
        return np.where(np.abs(near) > largest, np.copysign(np.inf, near), near)


def as_weights(case, array):
    """As [experts, k, n], a view."""
    k, n, is_enk = case.number("k"), case.number("n"), case["weights"] == "enk"
    stored = array.reshape(len(case.rows), *((n, k) if is_enk else (k, n)))
    return stored.transpose(0, 2, 1) if is_enk else stored


def input_format(case):
    """e4m3 of e4m3/block128, and the recipe of its scales or nothing."""
    name, _, recipe = case["in"].partition("/")
    return name, recipe


def recipe_of(case):
    """(across, along) of the left operand's blocks, and of w's."""
    found = RECIPES.get(input_format(case)[1])
    if found is None or case["pass"] == "wgrad":
        raise NotImplementedError(f"in={case['in']} in {case['pass']}")
    return found


def block_of_row(case, across):
    """The row of scales that each row has: blocks begin anew with each expert's rows."""
    found, first = [], 0
    for rows in case.rows:
        found.append(first + np.arange(rows) // across)
        first += -(-rows // across)
    return np.concatenate(found)


def spread(scales, block, axis, length):
    """Each scale for all elements of its block along an axis."""
    return np.repeat(scales, block or length, axis).take(range(length), axis)


def decoded(case, operands, role):
    """An input's elements: code times scale where it has scales."""
    values, scales = operands.get(role), operands.get(f"{role}_scale")
    if values is None or scales is None:
        return values
    values = values.astype(np.float64)
    across, along = recipe_of(case)[role == "w"]
    if role != "w":
        scales = scales[block_of_row(case, across)]
        return values * spread(scales, along, 1, values.shape[1])
    of_k, of_n = (along, across) if case["pass"] == "fwd" else (across, along)
    scales = scales.reshape(len(case.rows), -1, scales.shape[-1])
    scales = spread(spread(scales, of_k, 1, case.number("k")), of_n, 2, case.number("n"))
    whole = as_weights(case, values)
    whole *= scales
    return values


def products(case, x, w, y):
    """(expert, its rows, a, b) of each expert, out = a b."""
    w = None if case["pass"] == "wgrad" else as_weights(case, w)
    for expert in range(len(case.rows)):
        rows = slice(case.starts[expert], case.starts[expert + 1])
        if case["pass"] == "fwd":
            yield expert, rows, x[rows], w[expert]
        elif case["pass"] == "dgrad":
            yield expert, rows, y[rows], w[expert].T
        else:
            yield expert, rows, x[rows].T, y[rows]


def owned(case, array, expert, rows):
    """The part of an output that an expert owns, w as [k, n]."""
    return array[rows] if case["pass"] != "wgrad" else as_weights(case, array)[expert]


@dataclass
class Comparison:
    elements: int = 0
    wrong: int = 0  # outside of the coarse bound, or not the exact result where that is known
    differing: int = 0  # from the exact result rounded once
    worst: str = ""

    def sentence(self):
        text = f"{self.wrong} of {self.elements} elements are wrong by float64 arithmetic"
        return f"{text}; {self.worst}" if self.wrong else text


def compare(case, operands, got, only=None):
    """Holds an output against its own float64 product. Integer fills are exact in float64 and must
    be met; others lie where a sum lands that is as wrong as any accumulator in use may make it, and
    is rounded once. `only`: one expert."""
    result = Comparison()
    exact_fill = case["fill"] in EXACT_FILLS
    times = max(case.number("acc"), 1)
    worst = -1.0
    bits = ACCUMULATOR_BITS_OF.get(input_format(case)[0], ACCUMULATOR_BITS)
    for expert, rows, a, b in products(case, *(decoded(case, operands, role) for role in "xwy")):
        if only not in (None, expert):
            continue
        with np.errstate(all="ignore"):
            a, b = a.astype(np.float64), b.astype(np.float64)
            exact = times * (a @ b)
            gauge = times * (np.abs(a) @ np.abs(b))
            if case.number("acc"):
                c = owned(case, operands["c"], expert, rows).astype(np.float64)
                exact, gauge = exact + c, gauge + np.abs(c)
            near = rounded(exact, case["out"])
            mine = owned(case, got, expert, rows).astype(np.float64)
            same = (near == mine) | (np.isnan(near) & np.isnan(mine))
            terms = times * (a.shape[1] + PARTIAL_SUMS)
            give = gauge * terms * 2.0**-bits
            low, high = (rounded(exact + sign * give, case["out"]) for sign in (-1, 1))
            error = np.abs(mine - exact)
            right = same if exact_fill else same | ((low <= mine) & (mine <= high))
        result.elements += mine.size
        result.differing += int((~same).sum())
        result.wrong += int((~right).sum())
        if right.all():
            continue
        size = np.where(right, -1.0, np.where(np.isfinite(error), error, np.inf))
        at = np.unravel_index(np.argmax(size), size.shape)
        if size[at] > worst:
            worst = float(size[at])
            result.worst = (f"expert {expert} row {at[0]} column {at[1]}: {exact[at]:.9g} "
                            f"expected, {mine[at]:.9g} got")
    return result
