"""Measures how long `assay certify` takes to find what is known to break in the field's kernels, at
the commits of sources.json, and whether it says so by its name:

    python3 src/peers/field/breaks.py --assay build/cuda/assay --out FOLDER [--seconds 60]

A few kernels run beside one another, two workers each; seconds count from the start of the command.
FOLDER/breaks.json has every finding met.
"""

import argparse
import json
import re
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

# ruff: noqa: E402
import judge
import unfinished

JOBS, EXPLAIN_SECONDS, LOOK_EACH_SECONDS = 2, 15, 0.5


@dataclass(frozen=True)
class Break:
    what: str
    kernel: str  # FILE:NAME
    named: str  # regular expression: in the finding's check, diagnosis or reason
    case: str = ""  # regular expression: in the finding's case


BREAKS = (
    Break("tile index of 16 bits", "stk_moe.py:stk_sdd", r"32768|16.bit|index_overflow|narrow_ind"),
    Break("tile counts are divided down", "torchtitan_cg.py:torchtitan_dw",
          r"never_written|zeros_left|tail|every_owned|tile", "pass=wgrad"),
    Break("a mask by multiplication lets NaN through", "tokamax_dot.py:tokamax_mosaic",
          r"special|leak|tail_rows|neighbour", "pass=wgrad"),
    Break("a mask by multiplication lets NaN through", "scatter_moe.py:scattermoe_few",
          r"special|leak|neighbour"),
    Break("offsets of 32 bits", "unsloth_moe.py:unsloth", r"2_31|index_overflow|32.bit"),
    Break("offsets of 32 bits", "scatter_moe.py:scattermoe_few", r"2_31|index_overflow|32.bit"),
    Break("offsets of 32 bits", "torchtitan_cg.py:torchtitan_any", r"2_31|index_overflow|32.bit"),
    Break("K that is a multiple of 8 and not of 64 fails to compile", "mslk_gemm.py:mslk_any",
          r"assert|CompilationError"),
)


class Watch:
    """Stamps each check's first bad line in the record that a run is writing."""

    def __init__(self, folder):
        self.seconds, self._folder, self._start = {}, folder, time.monotonic()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look_on)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()
        self._look()

    def _look_on(self):
        while not self._done.wait(LOOK_EACH_SECONDS):
            self._look()

    def _look(self):
        for record in self._folder.glob("*.results.jsonl"):
            for line in unfinished.lines_of(record):
                if line.get("verdict") in unfinished.FOUND and "check" in line:
                    now = round(time.monotonic() - self._start, 1)
                    self.seconds.setdefault(line["check"], now)


def certify(options, kernel):
    spec = f"py:src/peers/field/{kernel}"
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        record, report = folder / "record", folder / "report.json"
        words = [options.assay, "certify", spec, "--profile", options.profile, "--budget",
                 str(options.seconds), "--deadline", "60", "--explain-seconds",
                 str(EXPLAIN_SECONDS), "--jobs", str(JOBS), "--load-seconds",
                 str(judge.LOAD_SECONDS), "--quiet", "--json", str(report), "--out", str(record)]
        with Watch(record) as watch:
            status, out, errors = judge.run(words, options.seconds + 2 * EXPLAIN_SECONDS + 15)
        records = list(record.glob("*.results.jsonl"))
        if report.exists():
            whole = json.loads(report.read_text())
        elif records:
            whole = unfinished.read(records[0], spec)
        else:
            return {"kernel": kernel, "exit": status, "problem": judge.cut(errors or out)}
    findings = [{"check": each["check"], "verdict": each["verdict"], "reason": each["reason"],
                 "case": each["case"], "diagnosis": each["diagnosis"].get("hypothesis") or "",
                 "seconds": watch.seconds.get(each["check"])} for each in whole["findings"]]
    problem = {} if report.exists() else {"problem": judge.cut(errors.strip())}
    return {"kernel": kernel, "exit": status, "verdict": whole["verdict"], **problem,
            "seconds": whole["seconds"], "runs": whole["runs"],
            "cases": whole["domain"].get("distinctCases"), "findings": findings}


def found(one, result):
    """The first finding that is this break, by name."""
    own = [each for each in result.get("findings", []) if re.search(one.case, each["case"])
           and re.search(one.named, f"{each['check']} {each['diagnosis']} {each['reason']}")]
    return min(own, key=lambda each: each["seconds"] or 0.0, default=None)


def line_of(one, result):
    finding = found(one, result)
    head = f"{one.kernel}: {one.what}:"
    if finding:
        seconds = "a time not seen" if finding["seconds"] is None else f"{finding['seconds']} s"
        return f"{head} found after {seconds} by {finding['check']}, {finding['diagnosis'] or '-'}"
    others = {each["check"]: each["diagnosis"] for each in result.get("findings", [])}
    return f"{head} not found; {result.get('problem') or others or 'no finding'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", nargs="*", metavar="FILE:NAME", help="default: all in the table")
    parser.add_argument("--assay", default="build/cuda/assay", help="the program")
    parser.add_argument("--out", required=True, type=Path, help="folder for breaks.json")
    parser.add_argument("--profile", default="quick")
    parser.add_argument("--seconds", type=float, default=60, help="of cases, for each kernel")
    parser.add_argument("--at-once", type=int, default=4, help="kernels beside one another")
    options = parser.parse_args()
    options.assay = str(Path(options.assay).resolve())
    options.out.mkdir(parents=True, exist_ok=True)
    breaks = [one for one in BREAKS if not options.kernels or one.kernel in options.kernels]
    kernels = list(dict.fromkeys(one.kernel for one in breaks))
    if not kernels:
        parser.error(f"none of {', '.join(sorted({one.kernel for one in BREAKS}))}")
    with ThreadPoolExecutor(options.at_once) as pool:
        results = dict(zip(kernels, pool.map(lambda kernel: certify(options, kernel), kernels)))
    whole = {"profile": options.profile, "results": list(results.values()),
             "breaks": [{**asdict(one), "found": found(one, results[one.kernel])}
                        for one in breaks]}
    (options.out / "breaks.json").write_text(json.dumps(whole, indent=1) + "\n")
    for one in breaks:
        print(line_of(one, results[one.kernel]))
    return 0 if all(each["found"] for each in whole["breaks"]) else 1


if __name__ == "__main__":
    sys.exit(main())
