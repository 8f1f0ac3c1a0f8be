#!/usr/bin/env python3
"""Merges a target's corpus with new inputs to a minimal set, named by what they reach.

usage: fuzz/name_corpus.py [--build DIR] [--each N] TARGET [FOLDER...]

    fuzz/name_corpus.py fuzz_kernel /tmp/grown

Replaces corpus/TARGET by the smallest set of inputs, out of corpus/TARGET and the folders, that
has the same features. Needs fuzz_TARGET and its replay in a build with -DASSAY_FUZZ=ON.
"""
import argparse
import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def merge(fuzzer, into, folders):
    """Set cover over what all inputs reach (how often does not count), smallest files first."""
    into.mkdir()
    subprocess.run([str(fuzzer), "-set_cover_merge=1", "-use_counters=0", str(into),
                    *map(str, folders)], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def notes_of(replay, folder):
    ran = subprocess.run([str(replay), "--quiet", "--notes", str(folder)], check=False,
                         stdout=subprocess.PIPE, text=True)
    pairs = [line.split("\t") for line in ran.stdout.splitlines() if "\t" in line]
    return {pathlib.Path(path): words for path, words in pairs}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--each", type=int, default=2, help="files that may share a name's words")
    parser.add_argument("target")
    parser.add_argument("folders", type=pathlib.Path, nargs="*")
    options = parser.parse_args()
    fuzzer = options.build / "fuzz" / options.target
    replay = options.build / "fuzz" / (options.target + "_replay")
    for program in (fuzzer, replay):
        if not program.exists():
            sys.exit(f"name_corpus: {program} is not built; it needs -DASSAY_FUZZ=ON")
    corpus = ROOT / "corpus" / options.target
    corpus.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        merged = pathlib.Path(scratch) / "merged"
        merge(fuzzer, merged, [corpus, *options.folders])
        notes = notes_of(replay, merged)
        if not notes:
            sys.exit("name_corpus: no input is left; nothing was changed")
        named = pathlib.Path(scratch) / "named"
        named.mkdir()
        seen = collections.Counter()
        smallest_first = sorted(
            notes.items(), key=lambda item: (item[1], item[0].stat().st_size, item[0].name))
        for path, words in smallest_first:
            if seen[words] == options.each:
                continue
            seen[words] += 1
            content = path.read_bytes()
            if content.startswith(b"pass=") and not content.endswith(b"\n"):
                content += b"\n"  # a line of text, for those who read it
            name = words or "empty"
            (named / (name if seen[words] == 1 else f"{name}_{seen[words]}")).write_bytes(content)
        shutil.rmtree(corpus)
        shutil.copytree(named, corpus)
    print(f"{corpus.relative_to(ROOT)}: {len(list(corpus.iterdir()))} files")


if __name__ == "__main__":
    main()
