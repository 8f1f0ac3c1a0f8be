"""The scripts of src/peers on what needs no GPU: own arithmetic, a cut record, the pages."""

import ast
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS, PEERS = ROOT / "src" / "peers", ROOT / "corpus" / "peers"
sys.path[:0] = [str(SCRIPTS), str(SCRIPTS / "field")]

# ruff: noqa: E402
import breaks
import case_line
import case_words
import explain
import kinds
import numpy as np
import pages
import unfinished
from field_peers import FIELD_PEERS

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
    assert case_line.compare(real, {"x": x, "y": y}, right).wrong == 0
    # A step of bf16 is wrong where the sum is far from the middle of two.
    assert case_line.compare(real, {"x": x, "y": y}, right * (1 + 2**-7)).wrong > 0
    assert case_line.compare(real, {"x": x, "y": y}, right * 1.02).wrong > 0


def scales():
    """Blocks of x begin anew with each expert's rows; w's are [experts, blocks of k, of n]."""
    line = "pass=fwd in=e4m3/{} out=fp32 k=130 n=129 rows=1,2 weights=enk fill=integers"
    case = case_line.parse(line.format("block128"))
    ones = {"x": np.ones((3, 130), np.float32), "w": np.ones((2, 129, 130), np.float32)}
    blocks = {**ones, "x_scale": np.array([[1, 2], [4, 8], [16, 32]], np.float32),
              "w_scale": np.arange(1, 9, dtype=np.float32).reshape(4, 2)}
    right = np.empty((3, 129))
    for row, (expert, (near, far)) in enumerate(zip((0, 1, 1), blocks["x_scale"])):
        of_k = blocks["w_scale"][2 * expert:2 * expert + 2]
        for cols, at in ((slice(0, 128), 0), (slice(128, 129), 1)):
            right[row, cols] = 128 * near * of_k[0, at] + 2 * far * of_k[1, at]
    assert case_line.compare(case, blocks, right).wrong == 0
    assert case_line.compare(case, ones, right).wrong == right.size
    assert case_line.compare(case, blocks, right * 2).wrong == right.size
    squares = case_line.parse(line.format("128x128,1x128:fp32").replace("1,2", "129,2"))
    assert case_line.block_of_row(squares, 128).tolist() == [0] * 128 + [1, 2, 2]
    for unknown in (line.format("mx"), line.format("block128").replace("fwd", "wgrad")):
        try:
            case_line.compare(case_line.parse(unknown), blocks, right)
            raise AssertionError(unknown)
        except NotImplementedError:
            pass


def rounding():
    values = np.array([1 + 2**-9, 1 + 3 * 2**-8, 3.4e38, -2.0**-134, np.nan, 2.0**-133])
    rounded = case_line.rounded(values, "bf16")
    assert rounded[0] == 1 and rounded[1] == 1 + 2**-6 and rounded[2] == np.inf
    assert rounded[3] == 0 and np.isnan(rounded[4]) and rounded[5] == 2.0**-133
    assert case_line.rounded(np.array([65519.0, 65520.0]), "fp16").tolist() == [65504, np.inf]


def short_lines():
    line = "pass=fwd in=bf16 out=bf16 acc=0 k=8 n=8 rows=1,2,2,2,0,0,0,0 told=ends seed=0"
    assert case_words.short(line) == "pass=fwd k=8 n=8 rows=1,2*3,0*4"
    assert case_words.short(line, 2) == "pass=fwd k=8 n=8 rows=1,2*3,...(8_experts)"
    assert case_line.parse(case_words.short(line)).rows == [1, 2, 2, 2, 0, 0, 0, 0]


def sums():
    """Sums of two products kept in bf16: 256 + 1 is 256 there, so that a row of one expert loses
    its 1 and the other, of another size, was added in full."""
    case = case_line.parse("pass=fwd k=4 n=1 rows=1,2 weights=ekn")
    arrays = {"x": np.array([[256, 1, -256, 0], [256, 1, -256, 0], [1, 1, 1, 1]], np.float32),
              "w": np.ones((2, 4, 1), np.float32)}
    finding = {"wrongElements": 1, "worst": {"expert": 0, "row": 0, "column": 0,
                                             "exact": {"value": 1}, "got": {"value": 0}}}
    found = explain.fitting_sums(case, arrays, finding)
    assert found == {"products": [2], "format": "bf16", "everyExpert": False, "rows": [1]}, found
    finding["wrongElements"] = 2
    assert explain.fitting_sums(case, arrays, finding)["everyExpert"]
    for wrong in ({**finding, "wrongElements": 3},
                  {**finding, "worst": {**finding["worst"], "got": {"value": 2}}}):
        assert explain.fitting_sums(case, arrays, wrong) == {}


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
    other = {**FINDING, "check": "k_and_n_tails", "reason": "7 of 8 elements are wrong",
             "sums": {"products": [8], "format": "bf16", "everyExpert": False, "rows": [6, 7]}}
    elsewhere = {**FINDING, "case": FINDING["case"].replace("fwd", "dgrad")}
    assert [len(kind) for kind in kinds.by_kind([FINDING, elsewhere, other])] == [2, 1]
    peer = pages.PEERS[0]
    record = {"certify": {"verdict": "Failed", "seconds": 1, "runs": 9, "verdicts": {"Failed": 2},
                          "checks": [
        {"check": "one_expert", "verdict": "Failed", "reason": "", "cases": 1, "drawn": 7,
         "verdicts": {"Unsupported": 3}, "worst": {"errorOverBound": 2.5}},
        {"check": "accumulation", "verdict": "NotApplicable", "reason": "none is declared",
         "cases": 0, "drawn": 0, "worst": None},
        {"check": "time_over_the_loop", "verdict": "Measured", "reason": "", "cases": 3,
         "drawn": 3, "worst": None,
         "measured": {"unit": "times the loop's time", "median": 1.5, "worst": 29.36}}],
        "findings": [FINDING, other]},
        "probe": {"kernel": "k", "seconds": 1, "errors": "", "manifest": "{}",
                  "table": "passes   fwd, dgrad   exact in a | b"}}
    file = Path(folder) / "peers.json"
    file.write_text(json.dumps({"machine": {"gpu": "a GPU, 5", "torch": "2"},
                                "peers": {peer.name: record}}))
    (Path(folder) / "README.md").write_text((PEERS / "README.md").read_text())
    sys.argv = ["pages.py", str(file), "--to", folder]
    pages.main()
    text = (Path(folder) / f"{peer.name}.md").read_text()
    for part in ("torch 2", "on a GPU, driver 5", "exact in a \\| b", "2.5",
                 "pass=fwd k=2 n=2 rows=2 fill=normal", "1 measured",
                 "7 cases drawn for the 1 that failed", "- accumulation: none is declared.",
                 "| Measured: median 1.5, worst 29.4 times the loop's time |",
                 "in experts of 6, 7 rows"):
        assert part in " ".join(text.split()), (part, text)
    assert "(2) |" in (Path(folder) / "README.md").read_text()


def causes():
    """What nothing was written about stays apart, and is no accusation."""
    cause = {"title": "A", "checks": ["k_and_n_tails"]}
    other = {**FINDING, "check": "k_and_n_tails"}
    found = list(pages.by_cause([FINDING, other], [cause]))
    assert found == [(cause, [other]), (pages.FALLBACK, [FINDING])], found
    remarks = json.loads((PEERS / "remarks.json").read_text())
    assert set(remarks) <= {peer.name for peer in pages.PEERS}
    for name in remarks:
        for each in pages.remarks_of(name, remarks)["causes"]:
            assert all(each[key] for key in ("title", "checks", "what", "known", "documentation"))


def kept_pages():
    """The pages are those of the data beside them."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "README.md").write_text((PEERS / "README.md").read_text())
        sys.argv = ["pages.py", str(PEERS / "peers.json"), "--to", folder]
        pages.main()
        made = {file.name: file.read_text() for file in Path(folder).glob("*.md")}
    judged = json.loads((PEERS / "peers.json").read_text())["peers"]
    assert set(made) == {f"{name}.md" for name in (*judged, "README")}
    for name, text in made.items():
        assert (PEERS / name).read_text() == text, f"{name} is not what pages.py makes"


def adapters_of_the_field():
    """Each row names a kernel that its file declares, and code that sources.json knows."""
    sources = json.loads((SCRIPTS / "field" / "sources.json").read_text())
    for source in sources.values():
        assert source["paths"] and (len(source.get("commit", "")) == 40 or "==" in source["wheel"])
    declared = {}
    for file in (SCRIPTS / "field").glob("*.py"):
        tree = ast.parse(file.read_text())
        words = [node for node in ast.walk(tree) if isinstance(node, ast.Call)
                 and getattr(node.func, "id", "") in ("source", "package")]
        for word in words:
            if isinstance(word.args[-1], ast.Constant):
                folder = word.args[-1].value
                assert folder.split("/")[0] in sources, (file.name, folder)
        functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)
                     and any("kernel" in ast.unparse(each) for each in node.decorator_list)]
        assigned = [node.targets[0].id for node in tree.body if isinstance(node, ast.Assign)
                    and "assay.kernel(" in ast.unparse(node.value)]
        declared[file.name] = functions + assigned
    for peer in FIELD_PEERS:
        assert peer.project in sources or peer.project == "transformers", peer.project
        file, _, name = peer.kernel.partition(":")
        assert name in declared.get(file, ()) or file.endswith(".so"), peer.kernel


def collected(folder):
    """From a repository and a wheel on this machine; what is missing is one line, and exit 1."""
    place = Path(folder)
    repository = place / "from" / "project"
    (repository / "own").mkdir(parents=True)
    (repository / "own" / "kernel.py").write_text("here = 1\n")
    (repository / "other.py").write_text("")
    git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "a"]):
        subprocess.run([*git, *words], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, text=True,
                            capture_output=True).stdout.strip()
    with zipfile.ZipFile(place / "a_wheel-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("package/part.py", "there = 2\n")
        wheel.writestr("package2/part.py", "")
    (place / "sources.json").write_text(json.dumps({
        "a": {"repository": "owner/project", "commit": commit, "paths": ["own"]},
        "b": {"wheel": "a-wheel==1.0", "paths": ["package"]},
        "c": {"wheel": "a-wheel==2.0", "paths": ["package"]}}))
    shutil.copy(SCRIPTS / "field" / "collect.py", place)
    words = [sys.executable, str(place / "collect.py"), "--to", str(place / "to"),
             "--repositories", str(place / "from"), "--wheels", folder]
    done = subprocess.run(words, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, "taken: a, b\n"), done
    assert done.stderr == f"c: no wheel of a-wheel==2.0 in {folder}\n", done.stderr
    found = {str(file.relative_to(place / "to")) for file in (place / "to").rglob("*.py")}
    assert found == {"a/own/kernel.py", "b/package/part.py"}, found
    versions = json.loads((place / "to" / "versions.json").read_text())
    assert versions["a"]["commit"] == commit and versions["b"]["version"] == "1.0"


def known_breaks(folder):
    """A finding counts by its name and its pass; the record says when it was first met."""
    line = {"job": 1, "check": "rows_beyond_32768", "case": FINDING["case"], "verdict": "Failed"}
    with breaks.Watch(Path(folder)) as watch:
        (Path(folder) / "k.results.jsonl").write_text(
            json.dumps({**line, "check": "one_expert", "verdict": "Passed"}) + "\n"
            + json.dumps(line) + "\n")
    assert set(watch.seconds) == {"rows_beyond_32768"}
    met = {"check": "rows_beyond_32768", "diagnosis": "zeros_left", "reason": "9 are wrong",
           "case": FINDING["case"], "seconds": 4.5}
    index = next(one for one in breaks.BREAKS if one.kernel == "stk_moe.py:stk_sdd")
    gradient = next(one for one in breaks.BREAKS if one.case)
    assert "found after 4.5 s by rows_beyond_32768" in breaks.line_of(index, {"findings": [met]})
    assert breaks.found(index, {"findings": [{**met, "check": "one_expert"}]}) is None
    assert breaks.found(gradient, {"findings": [met]}) is None, "it is no finding of wgrad"
    assert "not found; exit 2" in breaks.line_of(index, {"problem": "exit 2"})


def added(folder):
    """To what was judged before; a kernel that was judged again is replaced."""
    before, new, both = (Path(folder) / f"{name}.json" for name in ("before", "new", "both"))
    finding = {**FINDING, "wrongElements": 1, "replay": "long"}
    before.write_text(json.dumps({"machine": {"torch": "1", "jax": "3"},
                                  "peers": {"a": {"title": "old"}, "b": {"title": "kept"}}}))
    new.write_text(json.dumps({"machine": {"torch": "2"}, "peers": {
        "a": {"title": "again", "kernel": "k", "certify": {"findings": [finding], "checks": []}}}}))
    sys.argv = ["explain.py", str(new), "--assay", "none", "--no-replays", "--add-to", str(before),
                "--to", str(both)]
    explain.main()
    whole = json.loads(both.read_text())
    assert whole["machine"] == {"torch": "2", "jax": "3"}
    assert whole["peers"]["b"] == {"title": "kept"} and whole["peers"]["a"]["title"] == "again"
    assert "replay" not in whole["peers"]["a"]["certify"]["findings"][0]


def a_kernel_that_does_not_load(folder):
    """It is not a finding, and replaces none."""
    program = Path(folder) / "assay"
    program.write_text("#!/bin/sh\necho 'no torch here' >&2\nexit 2\n")
    program.chmod(0o755)
    try:
        said = explain.run(str(program), "py:kernel.py", LINE)
    except SystemExit as stopped:
        said = str(stopped)
    assert said == "no torch here", said


if __name__ == "__main__":
    arithmetic()
    scales()
    rounding()
    short_lines()
    sums()
    causes()
    kept_pages()
    adapters_of_the_field()
    for test in (collected, known_breaks, added, cut_record, written_pages,
                 a_kernel_that_does_not_load):
        with tempfile.TemporaryDirectory() as place:
            test(place)
    print("all held")
