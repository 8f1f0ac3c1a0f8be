"""Writes the page of each kernel and the table of them all from what judge.py has found:

    python3 corpus/peers/pages.py FOLDER/peers.json [MORE.json ...] [--to corpus/peers]

remarks.json beside this file has what was written by hand: of a finding, what the kernel's own
documentation says about it.
"""

import argparse
import json
from itertools import groupby
from pathlib import Path

from kinds import by_kind
from peers import PEERS

HERE = Path(__file__).resolve().parent
INDEX_BEGIN, INDEX_END = "<!-- table: pages.py -->", "<!-- end of table -->"
LONGEST_CELL = 160


def short_case(line):
    """Without the words that say what is usual anyway."""
    words = dict(word.split("=", 1) for word in line.split())
    words["rows"] = ",".join(
        f"{value}*{count}" if count > 2 else ",".join([value] * count)
        for value, count in ((value, len(list(run))) for value, run in
                             groupby(words["rows"].split(","))))
    usual = {"in": "bf16", "out": words.get("in", "bf16"), "acc": "0", "offsets": "ends",
             "told": words.get("offsets", "ends"), "pad": "1", "cap": "0", "tail": "0",
             "weights": "enk", "ld": "0", "wpitch": "0", "base": "0", "fill": "integers",
             "seed": "0", "tactic": "default", "exec": "plain"}
    return " ".join(f"{key}={value}" for key, value in words.items() if usual.get(key) != value)


def cell(text):
    text = " ".join(str(text).split()).replace("|", "\\|")
    return text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL] + " ..."


def versions_of(peer, machine):
    parts = [f"{name} {machine[name]}" for name in dict.fromkeys(
        [peer.project or "python", *(("torch",) if peer.kernel.endswith(".py") or
                                     ".py:" in peer.kernel else ()), "python"])
             if machine.get(name)]
    return ", ".join([*parts, f"on {machine.get('gpu', 'an unknown GPU')}"])


def counts_of(checks):
    counts = {}
    for check in checks:
        counts[check["verdict"]] = counts.get(check["verdict"], 0) + 1
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


def worst_of(check):
    worst = check.get("worst")
    if not worst or worst["errorOverBound"] is None:
        return ""
    value = worst["errorOverBound"]
    return f"{value:.3g}" if isinstance(value, (int, float)) else str(value)


def check_lines(checks):
    yield "| check | verdict | cases | worst error/bound | |"
    yield "|---|---|---|---|---|"
    for check in checks:
        yield (f"| {check['check']} | {check['verdict']} | {check['cases']} | {worst_of(check)} | "
               f"{cell(check['reason'])} |")


def how_confirmed(confirmation):
    state = confirmation.get("state", "not tried")
    parts = [f"**{state}**"]
    if "again" in confirmation:
        parts.append(f"run again in a process of its own: {confirmation['again']}")
    arithmetic, plain = confirmation.get("arithmetic", {}), confirmation.get("plain")
    if arithmetic.get("ran"):
        parts.append(f"of a further run, {arithmetic['sentence']}")
    if plain is not None:
        said = plain.get("raised") or plain.get("sentence") or f"not called, {plain.get('why')}"
        parts.append(f"on plain tensors without the harness: {said}")
    return "; ".join(parts)


def finding_lines(finding, remark):
    yield f"### {finding['check']}: {cell(finding['reason'])}"
    yield ""
    yield "```"
    yield short_case(finding["case"])
    yield "```"
    yield ""
    diagnosis = finding["diagnosis"]
    if diagnosis.get("sentence"):
        share = diagnosis.get("explainedShare") or 0
        yield (f"- Diagnosis: {diagnosis['hypothesis']}: {diagnosis['sentence']} "
               f"(explains {100 * share:.0f} % of what is wrong).")
    else:
        yield "- Diagnosis: no hypothesis explains it."
    worst = finding.get("worst")
    if worst:
        yield (f"- Worst: expert {worst['expert']} row {worst['row']} column {worst['column']}, "
               f"exact {worst['exact']['value']}, got {worst['got']['value']}.")
    yield f"- Confirmation: {how_confirmed(finding.get('confirmation', {}))}."
    for also in finding.get("also", []):
        yield f"- The same: {also}"
    yield f"- Documentation: {remark or 'nothing that it says covers this.'}"
    yield ""


def grouped(findings):
    """The first of each kind, with the others' checks and cases under "also"."""
    firsts = []
    for first, *others in by_kind(findings):
        also = [f"{each['check']} on `{short_case(each['case'])}` "
                f"({each.get('confirmation', {}).get('state', 'not tried')})." for each in others]
        firsts.append({**first, "also": also})
    return firsts


def certify_lines(result, remarks):
    yield "## Profile peers"
    yield ""
    if result["verdict"] == "NotRun":
        yield f"Not run: {result.get('problem', '')}"
        yield ""
        return
    yield (f"{result['verdict']}: {counts_of(result['checks'])}; {result['runs']} kernel runs in "
           f"{result['seconds']:.0f} s.")
    for why in result.get("incompleteBecause") or []:
        yield f"Incomplete: {why}."
    yield ""
    yield from check_lines(result["checks"])
    yield ""
    yield "## Findings"
    yield ""
    if not result["findings"]:
        yield "None."
        yield ""
    for finding in grouped(result["findings"]):
        yield from finding_lines(finding, remarks.get(finding["check"]))


def probe_lines(found):
    yield "## As probed"
    yield ""
    yield f"`assay probe {found['kernel']}`, {found['seconds']} s:"
    yield ""
    yield "```"
    yield (found["table"] or found["errors"]).rstrip()
    yield "```"
    yield ""
    if found["manifest"]:
        yield "```json"
        yield found["manifest"].rstrip()
        yield "```"
        yield ""


def page(peer, record, machine, remarks):
    lines = [f"# {peer.title}", "", f"Kernel `{peer.spec()}`, {versions_of(peer, machine)}.", ""]
    if record.get("problem"):
        lines += [f"Not judged: {record['problem']}", ""]
    if "certify" in record:
        lines += certify_lines(record["certify"], remarks)
    if peer.documentation:
        lines += ["## What its documentation says", "",
                  *(f"- {sentence}" for sentence in peer.documentation), ""]
    if peer.limits:
        lines += ["## What this cannot see", "", *(f"- {sentence}" for sentence in peer.limits), ""]
    if "probe" in record:
        lines += probe_lines(record["probe"])
    return "\n".join(lines).rstrip() + "\n"


def row_of(peer, record):
    result = record.get("certify", {})
    findings = grouped(result.get("findings", []))
    confirmed = sum(f.get("confirmation", {}).get("state") == "confirmed" for f in findings)
    verdict = record.get("problem") or result.get("verdict", "probed")
    return (f"| [{peer.title}]({peer.name}.md) | {cell(verdict)} | "
            f"{counts_of(result.get('checks', []))} | {len(findings)}, {confirmed} confirmed |")


def write_index(folder, rows):
    file = folder / "README.md"
    text = file.read_text()
    table = ["| kernel | verdict | checks | findings |", "|---|---|---|---|", *rows]
    begin, end = text.index(INDEX_BEGIN) + len(INDEX_BEGIN), text.index(INDEX_END)
    file.write_text(text[:begin] + "\n" + "\n".join(table) + "\n" + text[end:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, help="peers.json of one or more runs")
    parser.add_argument("--to", type=Path, default=HERE, help="folder of the pages")
    options = parser.parse_args()
    remarks_file = HERE / "remarks.json"
    remarks = json.loads(remarks_file.read_text()) if remarks_file.exists() else {}
    records, machine = {}, {}
    for file in options.files:
        whole = json.loads(file.read_text())
        machine = whole["machine"]
        # A later run of a kernel replaces an earlier one, unless it had no time.
        records.update({name: record for name, record in whole["peers"].items()
                        if name not in records or "problem" not in record})
    rows = []
    for peer in PEERS:
        if peer.name not in records:
            continue
        text = page(peer, records[peer.name], machine, remarks.get(peer.name, {}))
        (options.to / f"{peer.name}.md").write_text(text)
        rows.append(row_of(peer, records[peer.name]))
    write_index(options.to, rows)


if __name__ == "__main__":
    main()
