"""Tries what could have given a finding's numbers, on any machine, and keeps what fits:

    python3 src/peers/explain.py FOLDER/peers.json --assay build/host/assay --to peers.json

The operands of a case are a function of its line, so a run on the CPU has those of the GPU. Each
finding is replayed here ("here"), and sums of so many consecutive products, each rounded to the
output's format and added without another rounding, are held against it ("sums"): they fit if they
give the worst element's value and, for experts of certain numbers of rows, as many wrong elements
as were found. Findings are trimmed to what the pages need.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path

import case_line
import numpy as np
from case_words import short

ROOT = Path(__file__).resolve().parents[2]
PRODUCTS = (1, 2, 4, 8, 16, 32, 64, 128)
BAD_INPUT = 2  # the program's exit status
MOST_SIZES = 12  # different numbers of rows, whose subsets are tried
SECONDS = 120
DROPPED = ("originalCase", "shrinkTries", "tiles", "replay")
# That check runs other shapes, too; this is the one whose result was wrong: three times the rows
# and 65 more, a quarter of n, the seed two further.
RUN_INSTEAD = {("jax_ragged_dot", "a_sequence_of_shapes_leaks_nothing"):
               "pass=wgrad k=180 n=1 rows=266,77,143,65,74,95,146,83 offsets=counts fill=positive "
               "seed=429979"}


def slack(case, gauge, length):
    """What the harness allows an accumulator of which nothing is declared."""
    if case["fill"] in case_line.EXACT_FILLS:
        return 0 * gauge
    return gauge * math.ceil(95 + 1.25 * length) * 2.0**-23


def narrow_sums(case, a, b, products):
    """(exact, out, which are wrong) of one expert with such sums."""
    with np.errstate(all="ignore"):
        terms = a[:, :, None] * b[None, :, :]
        exact, gauge = terms.sum(1), np.abs(terms).sum(1)
        parts = [case_line.rounded(terms[:, at:at + products].sum(1), case["out"])
                 for at in range(0, terms.shape[1], products)]
        out = case_line.rounded(sum(parts), case["out"])
        give = slack(case, gauge, terms.shape[1])
        low, high = (case_line.rounded(exact + sign * give, case["out"]) for sign in (-1, 1))
    return exact, out, ~((low <= out) & (out <= high))


def same(value, text):
    return value == float(text) or (math.isnan(value) and math.isnan(float(text)))


def sets_of_sizes(wrong_of, size_of, worst_expert, count):
    """All sets of numbers of rows, that of the worst expert among them, that give the count."""
    by_size = {}
    for expert, wrong in wrong_of.items():
        by_size[size_of[expert]] = by_size.get(size_of[expert], 0) + wrong
    own = size_of[worst_expert]
    others = [size for size, wrong in sorted(by_size.items()) if wrong and size != own]
    if len(others) > MOST_SIZES:
        return []
    return [sorted((own, *some)) for many in range(len(others) + 1)
            for some in combinations(others, many)
            if by_size[own] + sum(by_size[size] for size in some) == count]


def fitting_sums(case, arrays, finding):
    worst, count = finding["worst"], finding["wrongElements"]
    sizes = dict(enumerate(case.rows))
    longest = max((case.rows if case["pass"] == "wgrad" else [case.number(
        "k" if case["pass"] == "fwd" else "n")]))
    found = {}
    for products in (p for p in PRODUCTS if p < longest):
        wrong_of, fits = {}, False
        for expert, _, a, b in case_line.products(case, *(arrays.get(role) for role in "xwy")):
            if 0 in a.shape or 0 in b.shape:
                continue
            exact, out, wrong = narrow_sums(case, a.astype(np.float64), b.astype(np.float64),
                                            products)
            wrong_of[expert] = int(wrong.sum())
            if expert == worst["expert"]:
                at = worst["row"], worst["column"]
                fits = (same(out[at], worst["got"]["value"]) and bool(wrong[at])
                        and math.isclose(exact[at], float(worst["exact"]["value"]),
                                         rel_tol=2.0**-40))
        whole = sum(wrong_of.values()) == count
        sets = sets_of_sizes(wrong_of, sizes, worst["expert"], count) if fits else []
        if fits and (whole or sets):
            found.setdefault("products", []).append(products)
            found.update({"format": case["out"], "everyExpert": whole,
                          "rows": sets[0] if len(sets) == 1 else []})
    return found


def run(assay, kernel, line, *more):
    words = [assay, "run", line, "--kernel", kernel, *more]
    environment = {**os.environ, "ASSAY_PYTHON": sys.executable,
                   "ASSAY_CORPUS": str(ROOT / "corpus"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(words, cwd=ROOT, env=environment, text=True, errors="replace",
                          capture_output=True, timeout=SECONDS, check=False)
    if done.returncode == BAD_INPUT:  # as where the kernel's framework is not installed
        raise SystemExit(done.stderr.strip() or f"{assay} says nothing")
    first = next((text for text in done.stdout.splitlines() if ": " in text), "")
    return first if done.returncode else "Passed"


def here(assay, kernel, finding):
    said = run(assay, kernel, finding["case"], "--check", finding["check"])
    return said if said == "Passed" else said.split(":")[0] + ": " + said.split(": ")[-1]


def explain(assay, name, kernel, finding):
    finding["here"] = here(assay, kernel, finding)
    line = RUN_INSTEAD.get((name, finding["check"]), finding["case"])
    with tempfile.TemporaryDirectory() as folder:
        run(assay, kernel, line, "--dump", folder)
        arrays = {file.stem: np.load(file) for file in Path(folder).glob("*.npy")}
    if "offsets" in arrays:
        finding["sums"] = fitting_sums(case_line.parse(line), arrays, finding)


def trimmed(finding):
    kept = {key: value for key, value in finding.items() if key not in DROPPED}
    if not finding.get("wrongElements"):
        kept["worst"] = None
    return {**kept, "case": short(finding["case"])}


def trim(record):
    result = record.get("certify", {})
    result["findings"] = [trimmed(finding) for finding in result.get("findings", [])]
    for check in result.get("checks", []):
        check["worst"] = check["worst"] and {"errorOverBound": check["worst"]["errorOverBound"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="what judge.py wrote")
    parser.add_argument("--assay", default="build/host/assay", help="the program")
    parser.add_argument("--to", required=True, type=Path, help="the file with what was found here")
    parser.add_argument("--add-to", type=Path, metavar="FILE",
                        help="an earlier one, whose kernels stay unless they were judged again")
    parser.add_argument("--no-replays", action="store_true", help="only trims and adds")
    options = parser.parse_args()
    assay = str(Path(options.assay).resolve())
    whole = json.loads(options.file.read_text())
    for name, record in whole["peers"].items():
        result = record.get("certify", {})
        for finding in result.get("findings", []):
            if finding.get("wrongElements") and not options.no_replays:
                explain(assay, name, record["kernel"], finding)
                print(name, finding["check"], finding.get("here"), finding.get("sums"), flush=True)
        if result:
            trim(record)
    whole["machine"].pop("docstrings", None)  # long, and not ours
    if options.add_to:
        earlier = json.loads(options.add_to.read_text())
        whole = {part: {**earlier[part], **whole[part]} for part in ("machine", "peers")}
    options.to.write_text(json.dumps(whole, indent=1) + "\n")


if __name__ == "__main__":
    main()
