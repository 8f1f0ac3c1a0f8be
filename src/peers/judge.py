"""Probes and judges the kernels of other projects, confirms what is found, and keeps it as JSON:

    python3 src/peers/judge.py --assay build/cuda/assay --out FOLDER [PEER ...]

One peer after another; what fails, hangs or is missing is noted and the next one goes on. The file
peers.json is whole after every step. pages.py makes pages of it.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

# ruff: noqa: E402
import confirm
import unfinished
from kinds import by_kind
from peers import PEERS

LEAST_BUDGET_SECONDS, EXPLAIN_SECONDS, AFTER_INTERRUPT_SECONDS = 8, 12, 30
PROBE_SECONDS, CONFIRM_SECONDS = 60, 30
# Importing a framework, beside many others that do.
LOAD_SECONDS = 150
# Of one peer: what starting, explaining and confirming take beside its cases.
OVERHEAD_SECONDS = 50
KEPT_OF_A_CHECK = ("check", "verdict", "reason", "drawn", "cases", "runs", "verdicts", "worst",
                   "measured")
LONGEST_TEXT = 2000


def run(words, seconds):
    """(exit status, stdout, stderr); a late command is interrupted, then killed with its children.
    """
    environment = {**os.environ, "ASSAY_PYTHON": sys.executable,
                   "ASSAY_CORPUS": str(ROOT / "corpus"), "ASSAY_COMMAND": "assay"}
    process = subprocess.Popen(words, cwd=ROOT, env=environment, text=True, errors="replace",
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    for signal_number, wait in ((signal.SIGINT, seconds), (signal.SIGKILL, AFTER_INTERRUPT_SECONDS),
                                (None, None)):
        try:
            out, errors = process.communicate(timeout=wait)
            return process.returncode, out, errors
        except subprocess.TimeoutExpired:
            target = process.send_signal if signal_number == signal.SIGINT else (
                lambda number: os.killpg(process.pid, number))
            target(signal_number)
    return None


def machine():
    """Versions of everything, from a process of its own: it imports what peers import."""
    status, out, errors = run([sys.executable, str(HERE / "versions.py")], 120)
    try:
        return json.loads(out)
    except ValueError:
        return {"problem": f"versions.py ended with {status}: {errors[-LONGEST_TEXT:]}"}


def cut(text):
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + " ..."


def probe(assay, peer, folder):
    manifest = folder / f"{peer.name}.manifest.json"
    spec = peer.spec(black_box=True)
    start = time.monotonic()
    status, out, errors = run([assay, "probe", spec, "--manifest", str(manifest)], PROBE_SECONDS)
    return {"kernel": spec, "exit": status, "table": out, "errors": cut(errors),
            "manifest": manifest.read_text() if manifest.exists() else "",
            "seconds": round(time.monotonic() - start, 1)}


def certify(assay, peer, budget, jobs, folder):
    report = folder / f"{peer.name}.json"
    words = [assay, "certify", peer.spec(), "--profile", "peers", "--budget", str(budget),
             "--deadline", str(peer.deadline), "--explain-seconds", str(EXPLAIN_SECONDS),
             "--jobs", str(jobs), "--load-seconds", str(LOAD_SECONDS), "--quiet",
             "--json", str(report), "--out", str(folder / "record")]
    status, out, errors = run(words, budget + 2 * EXPLAIN_SECONDS + 10)
    records = list((folder / "record").glob("*.results.jsonl"))
    if report.exists():
        whole = json.loads(report.read_text())
    elif records:
        whole = unfinished.read(records[0], peer.spec())
    else:
        return {"exit": status, "verdict": "NotRun", "problem": cut((errors or out).strip())}
    for finding in whole["findings"]:
        finding.pop("tiles", None)
    # Of a run that ended before its report.
    problem = {} if report.exists() else {"problem": cut(errors.strip())}
    return {**problem, "exit": status, "verdict": whole["verdict"], "seconds": whole["seconds"],
            "incompleteBecause": whole["incompleteBecause"],
            "threads": whole["threads"], "runs": whole["runs"], "verdicts": whole["verdicts"],
            "gpu": whole["gpu"], "domain": whole["domain"], "findings": whole["findings"],
            "checks": [{key: check[key] for key in KEPT_OF_A_CHECK} for check in whole["checks"]]}


def confirm_all(assay, peer, findings, jobs):
    """Adds "confirmation" to each finding, several at a time, for as long as there is time; the
    first of each kind before the others."""
    end = time.monotonic() + CONFIRM_SECONDS
    kinds = by_kind(findings)
    in_order = [kind[0] for kind in kinds] + [each for kind in kinds for each in kind[1:]]

    def one(finding):
        if time.monotonic() > end:
            return {"state": "not tried", "why": "no time was left"}
        with tempfile.TemporaryDirectory() as folder:
            return confirm.confirm(run, assay, peer.spec(), finding, Path(folder))

    # Each starts processes that import a framework.
    with ThreadPoolExecutor(max(1, jobs // 2)) as pool:
        for finding, confirmation in zip(in_order, pool.map(one, in_order)):
            finding["confirmation"] = confirmation
            finding["replay"] = cut(finding["replay"])


def judge(assay, peer, budget, jobs, folder, save):
    record = {"title": peer.title, "kernel": peer.spec()}
    save(record)
    with ThreadPoolExecutor(1) as pool:
        probing = pool.submit(probe, assay, peer, folder) if peer.probed else None
        if peer.certified:
            record["certify"] = certify(assay, peer, budget, jobs, folder)
            save(record)
        if probing:
            record["probe"] = probing.result()
    save(record)
    findings = record.get("certify", {}).get("findings", [])
    if findings:
        confirm_all(assay, peer, findings, jobs)
        save(record)
    return record


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peers", nargs="*", metavar="PEER", help="all, in the order of peers.py")
    parser.add_argument("--assay", default="build/cuda/assay", help="the program")
    parser.add_argument("--out", required=True, type=Path, help="folder for peers.json")
    parser.add_argument("--budget", type=float, default=90, help="seconds of cases, at most")
    parser.add_argument("--seconds", type=float, default=3600, help="of everything, about")
    parser.add_argument("--at-once", type=int, default=1, help="kernels that share the machine")
    parser.add_argument("--jobs", type=int, help="workers of each; default: its share of the cores")
    options = parser.parse_args()
    options.assay = str(Path(options.assay).resolve())  # the commands run in the project's root
    names = [peer.name for peer in PEERS]
    for name in options.peers:
        if name not in names:
            parser.error(f"'{name}' is none of {', '.join(names)}")
    return options


class Judging:
    """The file of all results, and how long each peer may take."""

    def __init__(self, options, chosen):
        self._options, self._start = options, time.monotonic()
        self._file = options.out / "peers.json"
        self._lock = threading.Lock()
        self._whole = {"machine": machine(), "peers": {}}
        self._waiting = len(chosen)

    def save(self, name, record):
        with self._lock:
            self._whole["peers"][name] = record
            part = self._file.with_suffix(".part")
            part.write_text(json.dumps(self._whole, indent=1))
            part.replace(self._file)

    def budget(self, peer):
        """Seconds of cases: what is left, shared among those who wait."""
        with self._lock:
            left = self._options.seconds - (time.monotonic() - self._start)
            turns = -(-self._waiting // self._options.at_once)
            self._waiting -= 1
        if not peer.certified:
            return LEAST_BUDGET_SECONDS if left > 0 else 0
        return min(self._options.budget, left / turns - OVERHEAD_SECONDS)

    def take(self, peer):
        budget, began = self.budget(peer), time.monotonic()
        record = {"title": peer.title, "problem": "no time was left"}
        if budget >= LEAST_BUDGET_SECONDS:
            share = max(1, (os.cpu_count() or 1) // self._options.at_once)
            jobs = self._options.jobs or share
            jobs = min(jobs, peer.jobs) if peer.jobs else jobs
            with tempfile.TemporaryDirectory() as folder:
                try:
                    record = judge(self._options.assay, peer, round(budget, 1), jobs, Path(folder),
                                   lambda so_far: self.save(peer.name, so_far))
                except Exception as error:  # pylint: disable=broad-except
                    record = {**self._whole["peers"].get(peer.name, {}),
                              "problem": f"{type(error).__name__}: {error}"}
        self.save(peer.name, record)
        result = record.get("certify", {})
        print(f"{peer.name}: {record.get('problem') or result.get('verdict', 'probed')}, "
              f"{result.get('runs', 0)} runs, {len(result.get('findings', []))} findings, budget "
              f"{budget:.0f} s, took {time.monotonic() - began:.0f} s", flush=True)


def main():
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    chosen = [peer for peer in PEERS if not options.peers or peer.name in options.peers]
    judging = Judging(options, chosen)
    with ThreadPoolExecutor(options.at_once) as pool:
        list(pool.map(judging.take, chosen))


if __name__ == "__main__":
    main()
