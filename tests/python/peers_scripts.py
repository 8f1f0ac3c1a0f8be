"""The scripts of corpus/peers on what needs no GPU: own arithmetic, a cut record, the pages."""

import json
import sys
import tempfile
from pathlib import Path

PEERS = Path(__file__).resolve().parents[2] / "corpus" / "peers"
sys.path.insert(0, str(PEERS))

# ruff: noqa: E402
import case_line
import kinds
import numpy as np
import pages
import unfinished

LINE = "pass=wgrad k=2 n=3 rows=1,0*2,2 weights=enk fill=integers"


def arithmetic():
    case = case_line.parse(LINE)
    assert case.rows == [1, 0, 0, 2] and case.starts == [0, 1, 1, 1, 3]
    assert case_line.per_operand("x:8,w:0,y:16") == {"x": 8, "w": 0, "y": 16}
    x = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    y = np.array([[1, 0, 2], [0, 1, 1], [2, 2, 0]], np.float32)
    right = np.zeros((4, 3, 2), np.float32)  # stored [n, k]
    right[0], right[3] = y[:1].T @ x[:1], y[1:].T @ x[1:]
    found = case_line.compare(case, {"x": x, "y": y}, right)
    assert (found.elements, found.wrong, found.differing) == (24, 0, 0), found
    for wrong in (np.full_like(right, np.nan), right * 1.02, right[::-1]):
        assert case_line.compare(case, {"x": x, "y": y}, wrong).wrong > 0
    real = case_line.parse(LINE.replace("integers", "normal"))
    assert case_line.compare(real, {"x": x, "y": y}, right * (1 + 2**-9)).wrong == 0
    assert case_line.compare(real, {"x": x, "y": y}, right * 1.02).wrong > 0


def rounding():
    values = np.array([1 + 2**-9, 1 + 3 * 2**-8, 3.4e38, -2.0**-134, np.nan, 2.0**-133])
    rounded = case_line.rounded(values, "bf16")
    assert rounded[0] == 1 and rounded[1] == 1 + 2**-6 and rounded[2] == np.inf
    assert rounded[3] == 0 and np.isnan(rounded[4]) and rounded[5] == 2.0**-133
    assert case_line.rounded(np.array([65519.0, 65520.0]), "fp16").tolist() == [65504, np.inf]


FINDING = {"check": "one_expert", "verdict": "Failed", "reason": "3 of 4 elements are wrong",
           "case": "pass=fwd in=bf16 out=bf16 k=2 n=2 rows=2 weights=enk fill=normal seed=0",
           "replay": "assay run", "worst": None,
           "diagnosis": {"hypothesis": "", "sentence": ""}}


def cut_record(folder):
    record = Path(folder) / "k.results.jsonl"
    lines = [{"assayRun": 1}, {"job": 0, "check": "one_expert", "case": FINDING["case"],
                               "verdict": "Passed", "errorOverBound": 0.5, "runs": 2},
             {"job": 1, "check": "one_expert", "case": FINDING["case"], "verdict": "Crashed",
              "reason": "SIGSEGV", "runs": 1}]
    record.write_text("\n".join(map(json.dumps, lines)) + '\n{"job": 2, "che')
    whole = unfinished.read(record, "py:k.py")
    check, = whole["checks"]
    assert whole["verdict"] == "Failed" and whole["runs"] == 3
    assert check["verdicts"] == {"Passed": 1, "Crashed": 1} and check["cases"] == 1
    assert whole["findings"][0]["verdict"] == "Crashed"


def written_pages(folder):
    other = {**FINDING, "check": "k_and_n_tails", "reason": "7 of 8 elements are wrong"}
    elsewhere = {**FINDING, "case": FINDING["case"].replace("fwd", "dgrad")}
    assert [len(kind) for kind in kinds.by_kind([FINDING, elsewhere, other])] == [2, 1]
    name = pages.PEERS[0].name
    record = {"certify": {"verdict": "Failed", "seconds": 1, "runs": 9, "checks": [
        {"check": "one_expert", "verdict": "Failed", "reason": "a | b", "cases": 1,
         "worst": {"errorOverBound": 2.5, "case": ""}}],
        "findings": [{**FINDING, "confirmation": {"state": "confirmed"}}, other]}}
    file = Path(folder) / "peers.json"
    file.write_text(json.dumps({"machine": {"gpu": "a GPU", "torch": "2"},
                                "peers": {name: record}}))
    (Path(folder) / "README.md").write_text((PEERS / "README.md").read_text())
    sys.argv = ["pages.py", str(file), "--to", folder]
    pages.main()
    text = (Path(folder) / f"{name}.md").read_text()
    for part in ("torch 2", "on a GPU", "a \\| b", "2.5", "pass=fwd k=2 n=2 rows=2 fill=normal",
                 "**confirmed**", "The same: k_and_n_tails"):
        assert part in text, (part, text)
    assert "1, 1 confirmed" in (Path(folder) / "README.md").read_text()


if __name__ == "__main__":
    arithmetic()
    rounding()
    for test in (cut_record, written_pages):
        with tempfile.TemporaryDirectory() as place:
            test(place)
    print("all held")
