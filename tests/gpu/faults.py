#!/usr/bin/env python3
"""Holds the harness on a GPU to what it must say about a kernel with one mistake at a time.

faults.py ASSAY KERNEL: the command, and the plug-in made of faulty_kernel.cu.
"""
import re
import subprocess
import sys
import tempfile

CASES = ["pass=fwd k=24 n=40 rows=3,0,17,5 tail=2 seed=4",
         "pass=dgrad k=24 n=40 rows=3,0,17,5 weights=ekn fill=normal seed=5",
         "pass=wgrad out=fp32 k=24 n=40 rows=9,0,17,5 seed=6"]
SOUND = ["", "capture_needs_no_sync", "graph_replay_follows_new_offsets",
         "the_given_stream_is_honoured", "concurrent_calls_do_not_meet", "host_time_per_call",
         "invalid_offsets_do_what_the_manifest_says", "repeated_runs_give_the_same_bits"]
# tactic, check, verdict, words of the reason
FAULTY = [
    ("default_stream", "the_given_stream_is_honoured", "Failed", ""),
    ("waits", "capture_needs_no_sync", "Failed", ""),
    ("spent_on_replay", "graph_replay_follows_new_offsets", "Failed", "replayed with rows="),
    ("writes_past", "", "Failed", "past the end of y"),
    ("writes_far", "", "Crashed", "IllegalAddress"),
    ("reads_past", "", "Crashed", "IllegalAddress"),
    ("hangs", "", "Hung", "no answer within"),
]


def run(case, check, *options):
    words = [sys.argv[1], "run", case, "--kernel", sys.argv[2], *options]
    if check:
        words += ["--check", check]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout + done.stderr


def main():
    wrong = 0

    def expect(label, text, pattern):
        nonlocal wrong
        held = re.search(pattern, text) is not None
        wrong += not held
        print(("ok   " if held else "WRONG"), label, "" if held else text[:400], flush=True)

    for check in SOUND:
        for case in CASES:
            expect(f"right {check or 'whole'}", run(case + " tactic=right", check), "^Passed")
    for tactic, check, verdict, words in FAULTY:
        text = run(f"{CASES[0]} tactic={tactic}", check, "--deadline", "4")
        expect(f"{tactic} {check or 'whole'}", text, f"^{verdict}.*{words}")
    # Too late for the call, in time for the sums of fingerprints or for what is fetched with them.
    text = run("pass=fwd k=2048 n=2048 rows=2048 tactic=fails_later", "", "--verify", "fingerprint")
    expect("fails behind the call", text, "^Crashed.*(IllegalAddress|left it in error)")
    # The worker that lost its device is replaced: what comes next is judged as ever.
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(f"{CASES[0]} tactic=writes_far\n{CASES[0]} tactic=right\n")
        file.flush()
        done = subprocess.run([sys.argv[1], "run", "--cases", file.name, "--kernel", sys.argv[2]],
                              capture_output=True, text=True, timeout=120, check=False)
    expect("a lost device costs one worker", done.stdout, r"(?s)^Crashed.*\nPassed")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
