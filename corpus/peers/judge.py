"""Probes and judges the kernels of other projects, confirms what is found, and keeps it all as JSON:

    python3 corpus/peers/judge.py --assay build/cuda/assay --out FOLDER [PEER ...]

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
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

# ruff: noqa: E402
import confirm
from peers import PEERS

LEAST_BUDGET_SECONDS, EXPLAIN_SECONDS, AFTER_INTERRUPT_SECONDS = 8, 12, 25
PROBE_SECONDS, CASE_SECONDS = 60, 10
KEPT_OF_A_CHECK = ("check", "verdict", "reason", "drawn", "cases", "runs", "verdicts", "worst")
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


def certify(assay, peer, budget, folder):
    report = folder / f"{peer.name}.json"
    words = [assay, "certify", peer.spec(), "--profile", "peers", "--budget", str(budget),
             "--deadline", str(CASE_SECONDS), "--explain-seconds", str(EXPLAIN_SECONDS),
             "--quiet", "--json", str(report)]
    if peer.jobs:
        words += ["--jobs", str(min(peer.jobs, os.cpu_count() or 1))]
    status, out, errors = run(words, budget + 2 * EXPLAIN_SECONDS + 20)
    if not report.exists():
        return {"exit": status, "verdict": "NotRun", "problem": cut((errors or out).strip())}
    whole = json.loads(report.read_text())
    for finding in whole["findings"]:
        finding.pop("tiles", None)
    return {"exit": status, "verdict": whole["verdict"], "seconds": whole["seconds"],
            "incompleteBecause": whole["incompleteBecause"],
            "threads": whole["threads"], "runs": whole["runs"], "verdicts": whole["verdicts"],
            "gpu": whole["gpu"], "domain": whole["domain"], "findings": whole["findings"],
            "checks": [{key: check[key] for key in KEPT_OF_A_CHECK} for check in whole["checks"]]}


def confirm_all(assay, peer, findings, seconds):
    """Adds "confirmation" to each finding, several at a time, for as long as there is time."""
    end = time.monotonic() + seconds
    # Each starts processes that import a framework.
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 3)) as pool:
        def one(finding):
            if time.monotonic() > end:
                return {"state": "not tried", "why": "no time was left"}
            with tempfile.TemporaryDirectory() as folder:
                return confirm.confirm(run, assay, peer.spec(), finding, Path(folder))

        for finding, confirmation in zip(findings, pool.map(one, findings)):
            finding["confirmation"] = confirmation
            finding["replay"] = cut(finding["replay"])


def judge(assay, peer, budget, confirm_seconds, folder, save):
    record = {"title": peer.title, "kernel": peer.spec()}
    save(record)
    with ThreadPoolExecutor(1) as pool:
        probing = pool.submit(probe, assay, peer, folder)
        if peer.certified:
            record["certify"] = certify(assay, peer, budget, folder)
            save(record)
        record["probe"] = probing.result()
    save(record)
    findings = record.get("certify", {}).get("findings", [])
    if findings:
        confirm_all(assay, peer, findings, confirm_seconds)
        save(record)
    return record


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peers", nargs="*", metavar="PEER", help="all, in the order of peers.py")
    parser.add_argument("--assay", default="build/cuda/assay", help="the program")
    parser.add_argument("--out", required=True, type=Path, help="folder for peers.json")
    parser.add_argument("--budget", type=float, default=60, help="seconds of cases a kernel")
    parser.add_argument("--seconds", type=float, default=3600, help="of everything")
    options = parser.parse_args()
    names = [peer.name for peer in PEERS]
    for name in options.peers:
        if name not in names:
            parser.error(f"'{name}' is none of {', '.join(names)}")
    return options


def main():
    options = arguments()
    start = time.monotonic()
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "peers.json"
    whole = {"machine": machine(), "peers": {}}
    chosen = [peer for peer in PEERS if not options.peers or peer.name in options.peers]
    # What costs no cases takes a share of its own.
    overhead = {True: 30, False: 15}
    for at, peer in enumerate(chosen):
        left = options.seconds - (time.monotonic() - start)
        rest = chosen[at:]
        share = (left - sum(overhead[each.certified] for each in rest)) / max(
            1, sum(each.certified for each in rest))
        budget = min(options.budget, share)
        if left < LEAST_BUDGET_SECONDS or (peer.certified and budget < LEAST_BUDGET_SECONDS):
            whole["peers"][peer.name] = {"title": peer.title, "problem": "no time was left"}
            continue

        def save(record, name=peer.name):
            whole["peers"][name] = record
            part = file.with_suffix(".part")
            part.write_text(json.dumps(whole, indent=1))
            part.replace(file)

        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                record = judge(options.assay, peer, round(budget, 1), overhead[True], Path(folder),
                               save)
            except Exception as error:  # pylint: disable=broad-except
                record = {**whole["peers"].get(peer.name, {}),
                          "problem": f"{type(error).__name__}: {error}"}
            save(record)
        result = record.get("certify", {})
        print(f"{peer.name}: {record.get('problem') or result.get('verdict', 'probed')}, "
              f"{len(result.get('findings', []))} findings, budget {budget:.0f} s, took "
              f"{time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
