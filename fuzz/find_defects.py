#!/usr/bin/env python3
"""How long the fuzzer needs to find each planted defect, from an empty corpus.

usage: fuzz/find_defects.py [--build DIR] [--for SECONDS] [--jobs N] [--at-least N] [--legal]
                            [NAME...]

Needs the targets fuzz_kernel and defects of a build with -DASSAY_FUZZ=ON:
    cmake --preset fuzz && ninja -C build/fuzz fuzz_kernel defects
Each defect is a copy of the cpu kernel with a bug planted (tests/defects), loaded by fuzz_kernel. A
legal variant (--legal) is right, and must not be found. Exit: 0 when at least N defects were found
(default: 20, or all that were named) and no legal variant, 1 when not, 2 when something is missing.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--for", dest="seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--at-least", type=int)
    parser.add_argument("--legal", action="store_true", help="the legal variants instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*", metavar="NAME")
    return parser.parse_args()


def stop(message):
    print(f"find_defects: {message}", file=sys.stderr)
    sys.exit(2)


def read_defects(options):
    """The list that the build wrote, those asked for."""
    path = options.build / "defects" / "defects.json"
    try:
        entries = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        stop(f"{path}: {error}; build the target defects first")
    entries = [entry for entry in entries if entry["legal"] == options.legal]
    unknown = set(options.names) - {entry["name"] for entry in entries}
    if unknown:
        stop(f"'{sorted(unknown)[0]}' is none of the {len(entries)} in {path}")
    if options.names:
        entries = [entry for entry in entries if entry["name"] in options.names]
    for entry in entries:
        if not os.path.exists(entry["plugin"]):
            stop(f"{entry['plugin']} is not built; build the target defects first")
    return entries


def first_line(text, start):
    for line in text.splitlines():
        if line.startswith(start):
            return line[len(start):].strip()
    return ""


def fuzz(entry, fuzzer, options):
    """Runs the fuzzer on one defect until it ends; what it said, and how long it took."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = pathlib.Path(folder) / "corpus"
        corpus.mkdir()
        command = [str(fuzzer), str(corpus), f"-max_total_time={options.seconds}", "-timeout=10",
                   f"-seed={options.seed}", f"-artifact_prefix={folder}/", "-print_final_stats=1"]
        environment = dict(os.environ, ASSAY_FUZZ_KERNEL=entry["plugin"])
        started = time.monotonic()
        ran = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, check=False)
        seconds = time.monotonic() - started
        output = ran.stderr.decode(errors="replace")
        artifacts = [path for path in pathlib.Path(folder).glob("*-*") if path.is_file()]
        case = artifacts[0].read_text(errors="replace").strip() if artifacts else ""
        reason = first_line(output, "Failed:") or first_line(output, "SUMMARY:")
        runs = first_line(output, "stat::number_of_executed_units:")
        return {"found": bool(artifacts), "exit": ran.returncode, "seconds": seconds,
                "runs": int(runs) if runs.isdigit() else 0, "case": case, "reason": reason}


def print_row(entry, result):
    state = f"{result['seconds']:6.1f} s" if result["found"] else "not found"
    print(f"{entry['name']:<50} {entry.get('kind', ''):<3} {state:>9}  "
          f"{result['reason'][:60]:<60}  "
          f"{result['case']}", flush=True)


def main():
    options = parse_arguments()
    fuzzer = options.build / "fuzz" / "fuzz_kernel"
    if not fuzzer.exists():
        stop(f"{fuzzer} is not built; its build needs clang and -DASSAY_FUZZ=ON")
    entries = read_defects(options)
    found = []
    broken = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = [(entry, pool.submit(fuzz, entry, fuzzer, options)) for entry in entries]
        for entry, future in results:
            result = future.result()
            print_row(entry, result)
            if result["found"]:
                found.append(result["seconds"])
            elif result["exit"] != 0:  # the fuzzer did not run: no evidence either way
                print(f"{entry['name']}: exit code {result['exit']}", file=sys.stderr)
                broken += 1
    kind = "legal variants" if options.legal else "defects"
    median = f", median {sorted(found)[len(found) // 2]:.1f} s" if found else ""
    print(f"{len(entries)} {kind}, {len(found)} found within {options.seconds} s each{median}")
    if broken:
        return 1
    if options.legal:
        return 1 if found else 0
    wanted = options.at_least if options.at_least is not None else (
        len(entries) if options.names else 20)
    return 0 if len(found) >= wanted else 1


if __name__ == "__main__":
    sys.exit(main())
