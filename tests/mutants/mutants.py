#!/usr/bin/env python3
"""The mutation score: mutants of the CPU kernel, each compiled and certified; survivors are listed.

mutants.py --build build/host [--count 40] [--seed 1] [--skip 0] [--jobs 1] [--file worker.cpp]
           [--ci-only]

A mutant that fails profile quick is caught by ci too, whose cases hold quick's. One that profile ci
passes is tried under full. Needs the targets `assay`, `defect_base` and `defect_entry`. Exit: 0 if
every mutant is caught or listed in equivalent.txt, 1 if one survives, 2 if nothing could be run.
"""
import argparse
import concurrent.futures
import dataclasses
import functools
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

from operators import mutants_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("src/kernels/cpu", "src/kernels/schedule")
LEFT_OUT = ("plugin_entry.cpp",)
# Which instructions a file is for: the best ones of the machine are taken otherwise.
ISA_OF = {"micro_portable.cpp": "portable", "micro_avx2.cpp": "avx2", "micro_avx512.cpp": "avx512"}
DEADLINE_SECONDS = 10  # of one call of a mutant: more is a hang
JUDGED = ("killed in ci", "killed in full", "survived ci", "survived full")
PROFILE_SECONDS = {"quick": 600, "ci": 1800, "full": 7200}


@dataclasses.dataclass
class Outcome:
    mutant: object
    state: str  # stillborn, the same code, killed in ci, killed in full, survived ci, survived full
    said: str = ""


def stop(message):
    print(f"mutants.py: {message}", file=sys.stderr)
    sys.exit(2)


def includes(file):
    return re.findall(r'#include "(src/kernels/[^"]+)"', (ROOT / file).read_text())


@functools.lru_cache(maxsize=None)
def reached(file):
    """The headers of the kernels that a source includes, one by way of another."""
    found, todo = set(), [file]
    while todo:
        for header in includes(todo.pop()):
            if header not in found:
                found.add(header)
                todo.append(header)
    return frozenset(found)


class Builder:
    """Compiles a mutant as the planted defects are: one source anew, the rest from an archive."""

    def __init__(self, build):
        self.build = build
        base = build / "tests/defects"
        self.archive = base / "libdefect_base.a"
        self.entry = next(base.glob("CMakeFiles/defect_entry.dir/**/plugin_entry.cpp.o"), None)
        if not self.archive.exists() or self.entry is None:
            stop(f"no defect_base in {build}: ninja -C {build} assay defect_base defect_entry")
        self.commands = {}
        for row in json.loads((build / "compile_commands.json").read_text()):
            if "/defect_base.dir/" in row["command"]:
                file = pathlib.Path(row["file"]).resolve().relative_to(ROOT)
                self.commands[str(file)] = shlex.split(row["command"])

    def users(self, file):
        """The sources that are compiled anew where a file changes."""
        return [source for source in self.commands
                if source == file or file in reached(source)]

    def object(self, file, source, overlay, folder):
        """Compiles a source in place of `file`; None where it is no program."""
        words = [word for word in self.commands[file] if word != "-Werror"]
        result = folder / (pathlib.Path(file).name + ".o")
        words = [words[0], f"-I{overlay}", *words[1:words.index("-o")], "-w", "-o", result, "-c",
                 source]
        done = subprocess.run(list(map(str, words)), capture_output=True)
        return result if done.returncode == 0 else None

    @functools.lru_cache(maxsize=None)
    def original(self, file):
        with tempfile.TemporaryDirectory(prefix="mutant_") as name:
            folder = pathlib.Path(name)
            return self.object(file, ROOT / file, folder, folder).read_bytes()

    def compile(self, mutant, folder):
        """(state, plug-in): stillborn is no program, the same code is the kernel itself."""
        overlay = folder / "overlay"
        copy = overlay / mutant.file
        copy.parent.mkdir(parents=True, exist_ok=True)
        lines = (ROOT / mutant.file).read_text().split("\n")
        lines[mutant.line - 1] = mutant.after
        copy.write_text("\n".join(lines))
        objects = {}
        for file in self.users(mutant.file):
            objects[file] = self.object(file, copy if file == mutant.file else ROOT / file, overlay,
                                        folder)
            if objects[file] is None:
                return "stillborn", None
        if all(made.read_bytes() == self.original(file) for file, made in objects.items()):
            return "the same code", None
        library = folder / "mutant.so"
        link = [next(iter(self.commands.values()))[0], "-shared", "-o", library,
                *objects.values(), self.entry, self.archive, "-pthread"]
        done = subprocess.run(list(map(str, link)), capture_output=True)
        return ("built", library) if done.returncode == 0 else ("stillborn", None)


def certify(builder, library, profile, mutant, jobs):
    """True: the profile passes it. The reason otherwise."""
    environment = dict(os.environ)
    isa = ISA_OF.get(pathlib.Path(mutant.file).name)
    if isa:
        environment["ASSAY_CPU_ISA"] = isa
    words = [builder.build / "assay", "certify", library, "--profile", profile, "--quiet",
             "--explain-seconds", "0.01", "--deadline", DEADLINE_SECONDS, "--jobs", jobs]
    try:
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True,
                              errors="replace", timeout=PROFILE_SECONDS[profile], env=environment)
    except subprocess.TimeoutExpired:
        return False, f"no end within {PROFILE_SECONDS[profile]} s"
    said = next((line for line in done.stdout.splitlines() if line.startswith("Failed")), "")
    if done.returncode not in (0, 1, 3):
        return False, f"exit {done.returncode}: {done.stderr.strip()}"
    return done.returncode == 0 or (profile == "quick" and done.returncode == 3), said


def judge(builder, mutant, options):
    with tempfile.TemporaryDirectory(prefix="mutant_") as name:
        built, library = builder.compile(mutant, pathlib.Path(name))
        if library is None:
            return Outcome(mutant, built)
        jobs = max(1, (os.cpu_count() or 1) // options.jobs)
        for profile, state in (("quick", "killed in ci"), ("ci", "killed in ci"),
                               ("full", "killed in full")):
            if profile == "full" and options.ci_only:
                return Outcome(mutant, "survived ci")
            passed, said = certify(builder, library, profile, mutant, jobs)
            if not passed:
                return Outcome(mutant, state, said)
    return Outcome(mutant, "survived full")


def known_equivalents():
    """Entries of three lines, `file`, `- before`, `+ after`, with `why: ` after them."""
    known = {}
    text = (pathlib.Path(__file__).parent / "equivalent.txt").read_text()
    for entry in re.split(r"\n\s*\n", text):
        lines = [line for line in entry.split("\n") if line and not line.startswith("#")]
        if not lines:
            continue
        if len(lines) < 4 or lines[1][:2] != "- " or lines[2][:2] != "+ " or \
                not lines[3].startswith("why: "):
            stop(f"equivalent.txt: expected FILE, - BEFORE, + AFTER, why: REASON, got {lines}")
        known[lines[0], lines[1][2:].strip(), lines[2][2:].strip()] = " ".join(lines[3:])
    return known


def all_mutants(only):
    """Those of every file; the caller leaves out what the CPU kernel does not include."""
    mutants = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).iterdir()):
            file = str(path.relative_to(ROOT))
            if path.suffix in (".h", ".cpp") and path.name not in LEFT_OUT and only in file:
                mutants += mutants_of(file, path.read_text())
    return mutants


def words():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/host")
    parser.add_argument("--count", type=int, default=40, help="mutants that are built")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first ones of the draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="mutants at once")
    parser.add_argument("--file", default="", help="only of files whose path holds this")
    parser.add_argument("--ci-only", action="store_true", help="do not try survivors under full")
    parser.add_argument("--list", action="store_true", help="print the draw and run nothing")
    return parser.parse_args()


def stale_entries(known, mutants):
    keys = {mutant.key() for mutant in mutants}
    return [key for key in known if key not in keys]


def run(builder, drawn, known, options):
    """Outcomes of as many mutants as are asked for, in the order of the draw."""
    outcomes, equivalent, taken = [], 0, iter(drawn)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        while sum(one.state in JUDGED for one in outcomes) < options.count:
            batch = []
            for mutant in taken:
                if mutant.key() in known:
                    equivalent += 1
                    continue
                batch.append(mutant)
                if len(batch) == options.jobs:
                    break
            if not batch:
                break
            for one in pool.map(lambda mutant: judge(builder, mutant, options), batch):
                outcomes.append(one)
                print(f"{one.state}: {one.mutant.diff()}{one.said and chr(10) + '  ' + one.said}",
                      file=sys.stderr, flush=True)
    return outcomes, equivalent


def main():
    options = words()
    mutants = all_mutants(options.file)
    known = known_equivalents()
    if not options.file and stale_entries(known, mutants):
        stop(f"equivalent.txt: no such mutant: {stale_entries(known, mutants)[0]}")
    random.Random(options.seed).shuffle(mutants)
    if options.list:
        print("\n".join(mutant.diff() for mutant in mutants[:options.count]))
        return 0
    builder = Builder(options.build.resolve())
    mutants = [mutant for mutant in mutants if builder.users(mutant.file)]
    outcomes, equivalent = run(builder, mutants[options.skip:], known, options)
    count = lambda *states: sum(one.state in states for one in outcomes)
    survivors = [one for one in outcomes if one.state.startswith("survived")]
    built = count(*JUDGED)
    for one in survivors:
        print(f"{one.state}: {one.mutant.diff()}")
    print(f"{len(outcomes) + equivalent} drawn, {built} built, "
          f"{equivalent + count('the same code')} equivalent ({equivalent} listed, "
          f"{count('the same code')} the same code), "
          f"{count('killed in ci')} killed in ci, {count('killed in full')} killed in full, "
          f"{len(survivors)} survivors")
    if built > 0:
        print(f"score {(built - len(survivors)) / built:.3f} of {built}, drawn with seed "
              f"{options.seed} from {len(mutants)} mutants")
    return 1 if survivors or built == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
