"""Whether a finding is one: it is run again in a process of its own, its numbers are held against
float64 arithmetic, and a Python kernel is called once more on plain tensors, without the harness.
"""

import json
import shlex
import sys
from pathlib import Path

import case_line
import numpy as np

HERE = Path(__file__).resolve().parent
SECONDS = 60
# With more steps than that before it, a case shows nothing that can be read.
MOST_STEPS = 60


def confirm(run, assay, kernel, finding, folder):
    """`run(words, seconds)` answers (exit status, stdout, stderr)."""
    words = [assay, *shlex.split(finding["replay"])[1:]]
    if len(finding.get("before", [])) > MOST_STEPS:
        words = words[:words.index("--before")]
    status, out, errors = run([*words, "--dump", str(folder)], SECONDS)
    again = out.split(":", 1)[0].strip() or errors.strip()[-200:]
    result = {"again": again, "seenAgain": status == 1 and again == finding["verdict"]}
    if not result["seenAgain"]:
        status, out, _ = run(words, SECONDS)
        result["again"] += ", then " + out.split(":", 1)[0].strip()
    case = case_line.parse(finding["case"])
    result["arithmetic"] = by_arithmetic(case, folder)
    if kernel.startswith("py:"):
        result["plain"] = on_plain_tensors(run, kernel, finding, folder)
    result["state"] = state_of(finding, result)
    return result


def by_arithmetic(case, folder):
    """Of one more plain run, whose arrays were dumped."""
    arrays = {file.stem: np.load(file) for file in Path(folder).glob("*.npy")}
    if "actual" not in arrays:
        return {"ran": False}
    try:
        found = case_line.compare(case, arrays, arrays["actual"])
    except NotImplementedError as error:
        return {"ran": False, "why": str(error)}
    # The oracle's expectation is held against the same arithmetic.
    expected = case_line.compare(case, arrays, arrays["expected"])
    return {"ran": True, "elements": found.elements, "wrong": found.wrong,
            "sentence": found.sentence(), "expectedWrong": expected.wrong}


def on_plain_tensors(run, kernel, finding, folder):
    if not (folder / "offsets.npy").exists():
        return {"ran": False, "why": "no arrays were dumped"}
    words = [sys.executable, str(HERE / "plain_call.py"), kernel, finding["case"], str(folder)]
    if finding["check"] == "experts_do_not_leak_into_each_other":
        words.append("--poison-others")
    status, out, errors = run(words, SECONDS)
    try:
        return json.loads(out.splitlines()[-1])
    except (ValueError, IndexError):
        return {"ran": True, "raised": f"ended with {status}: {errors.strip()[-300:]}"}


def state_of(finding, result):
    """confirmed: wrong by arithmetic of its own, or an error without the harness, too."""
    plain, arithmetic = result.get("plain", {}), result["arithmetic"]
    if arithmetic.get("expectedWrong"):
        return "doubtful: the oracle's own expectation is not what float64 arithmetic gives"
    if arithmetic.get("wrong") or plain.get("wrong"):
        return "confirmed"
    if plain.get("raised") and ("error" in finding["reason"] or finding["verdict"] != "Failed"):
        return "confirmed"
    return "seen again" if result["seenAgain"] else "not seen again"
