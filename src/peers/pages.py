"""Writes the page of each kernel and the table of them all from what judge.py has found:

    python3 src/peers/pages.py FOLDER/peers.json [MORE.json ...] [--to corpus/peers]

corpus/peers/remarks.json has what was written by hand: what the findings of a kernel come from,
how that is known, and what the kernel's own documentation says about it. A finding of which it says
nothing is written down as not explained.
"""

import argparse
import json
import textwrap
from pathlib import Path

from case_words import short
from peers import PEERS

PAGES = Path(__file__).resolve().parents[2] / "corpus" / "peers"
INDEX_BEGIN, INDEX_END = "<!-- table: pages.py -->", "<!-- end of table -->"
LONGEST_CELL, MOST_ROWS, COLUMNS = 160, 20, 100
FALLBACK = {"title": "Not explained", "checks": "*", "what": "No cause was found; this is no "
            "accusation.", "known": "", "documentation": ""}


def wrapped(text, first=""):
    """Lines of a paragraph; of a list item, if `first` is its mark."""
    return textwrap.wrap(text, COLUMNS, initial_indent=first, subsequent_indent=" " * len(first),
                         break_long_words=False, break_on_hyphens=False)


def cell(text):
    text = " ".join(str(text).split()).replace("|", "\\|")
    return text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL] + " ..."


def versions_of(peer, machine):
    names = [peer.project or "python", *(("torch",) if ".py" in peer.kernel else ()), "python"]
    parts = [f"{name} {machine[name]}" for name in dict.fromkeys(names) if machine.get(name)]
    gpu, _, driver = machine.get("gpu", "an unknown GPU").partition(", ")
    return ", ".join([*parts, f"on {gpu}" + (f", driver {driver}" if driver else "")])


def counts_of(checks):
    counts = {}
    for check in checks:
        counts[check["verdict"]] = counts.get(check["verdict"], 0) + 1
    names = {"NotApplicable": "not applicable"}
    return ", ".join(f"{count} {names.get(name, name.lower())}"
                     for name, count in sorted(counts.items(), key=lambda item: -item[1]))


def worst_of(check):
    worst = check.get("worst")
    if not worst or worst["errorOverBound"] is None:
        return ""
    value = worst["errorOverBound"]
    return f"{value:.3g}" if isinstance(value, (int, float)) else str(value)


def verdict_of(check):
    measured = check.get("measured")
    if not measured:
        return check["verdict"]
    return (f"{check['verdict']}: median {measured['median']:.3g}, worst {measured['worst']:.3g} "
            f"{measured['unit']}")


def check_lines(checks):
    """Those that applied as a table; stopped: at the first failure, so that some cases are open."""
    yield "| check | verdict | cases judged | drawn | unsupported | worst error/bound |"
    yield "|---|---|---|---|---|---|"
    for check in checks:
        if check["verdict"] != "NotApplicable":
            unsupported = check.get("verdicts", {}).get("Unsupported", 0)
            yield (f"| {check['check']} | {verdict_of(check)} | {check['cases']} | "
                   f"{check.get('drawn', '')} | {unsupported or ''} | {worst_of(check)} |")
    reasons = {}
    for check in checks:
        if check["verdict"] == "NotApplicable":
            reasons.setdefault(check["reason"], []).append(check["check"])
    if reasons:
        yield ""
        yield "Not applicable:"
        yield ""
    for reason, names in reasons.items():
        yield from wrapped(f"{', '.join(names)}: {reason}.", "- ")


def sums_sentence(sums):
    products = sums["products"]
    many = f"{products[0]}" if len(products) == 1 else f"{products[0]} to {products[-1]}"
    experts = "every expert" if sums["everyExpert"] else (
        f"experts of {', '.join(map(str, sums['rows']))} rows" if sums["rows"] else
        "experts of some sizes")
    noun = "product" if many == "1" else "products"
    return (f"sums of {many} {noun} kept in {sums['format']}, in {experts}: as many wrong "
            "elements, and the same worst value")


def how_known(finding):
    """In order of weight: its numbers made again, seen elsewhere, wrong by other arithmetic."""
    parts = []
    if finding.get("sums"):
        parts.append(sums_sentence(finding["sums"]))
    if finding.get("here", "").endswith(": " + finding["reason"].split(": ")[-1]):
        parts.append("as many wrong elements on a CPU")
    confirmation = finding.get("confirmation", {})
    arithmetic, plain = confirmation.get("arithmetic", {}), confirmation.get("plain", {})
    if arithmetic.get("wrong"):
        parts.append(f"{arithmetic['wrong']} wrong by float64 arithmetic")
    if plain.get("wrong"):
        parts.append(f"{plain['wrong']} wrong without the harness")
    if not parts and confirmation.get("seenAgain"):
        parts.append("seen again in a process of its own")
    return "; ".join(parts) or "seen once"


def diagnosed(diagnosis):
    if diagnosis.get("hypothesis"):
        return f"{diagnosis['hypothesis']}, {100 * diagnosis.get('explainedShare', 0):.0f} %"
    return "none fits" if diagnosis.get("hypothesesTried") else "not tried"


def finding_lines(findings):
    yield "| check | case | found | Assay's diagnosis | how it is known |"
    yield "|---|---|---|---|---|"
    for finding in findings:
        found = finding["reason"].split(" <- ")[0]
        yield (f"| {finding['check']} | `{short(finding['case'], MOST_ROWS)}` | {cell(found)} | "
               f"{diagnosed(finding['diagnosis'])} | {how_known(finding)} |")


def by_cause(findings, causes):
    """(cause, its findings), those of which nothing was written last."""
    left = list(findings)
    for cause in [*causes, FALLBACK]:
        own = [each for each in left if cause["checks"] == "*" or each["check"] in cause["checks"]]
        left = [each for each in left if each not in own]
        if own:
            yield cause, own


def replay_of(peer, finding):
    return (f"build/cuda/assay run '{short(finding['case'])}' \\\n  --kernel {peer.spec()} \\\n"
            f"  --check {finding['check']}")


def cause_lines(peer, cause, findings):
    yield f"### {cause['title']}"
    yield ""
    for part in ("what", "known", "documentation"):
        if cause.get(part):
            label = {"known": "How it is known: ", "documentation": "Its documentation: "}
            yield from wrapped(label.get(part, "") + cause[part])
            yield ""
    yield from finding_lines(findings)
    yield ""
    example = min(findings, key=lambda each: len(each["case"]))
    yield "```"
    yield replay_of(peer, example)
    yield "```"
    yield ""


def cases_sentence(result):
    verdicts = result["verdicts"]
    judged = result.get("domain", {}).get("distinctCases", 0)
    inconclusive = verdicts.get("Inconclusive", 0)
    also = f"; {inconclusive} would have let a wrong answer pass, and does not count"
    also = also if inconclusive else ""
    return (f"{result['verdict']}: {counts_of(result['checks'])}. {judged:,} cases judged, "
            f"{verdicts.get('Failed', 0)} of them failed; "
            f"{verdicts.get('Unsupported', 0)} more lie "
            f"outside of what the manifest takes{also}. {result['runs']:,} kernel runs in "
            f"{result['seconds']:.0f} s.")


def certify_lines(peer, result, remarks):
    if result["verdict"] == "NotRun":
        yield f"Not run: {result.get('problem', '')}"
        yield ""
        return
    yield from wrapped(cases_sentence(result))
    for why in result.get("incompleteBecause") or []:
        yield f"Incomplete, too: {why}."
    yield ""
    failed = [check for check in result["checks"] if check["verdict"] == "Failed"]
    if failed:
        judged = sum(check["cases"] for check in failed)
        drawn = sum(check.get("drawn", 0) for check in failed)
        yield from wrapped(f"A check stops at its first failure: of the {drawn:,} cases drawn for "
                           f"the {len(failed)} that failed, {judged:,} were judged. What the rest "
                           "would have shown is not known.")
        yield ""
    yield "## Findings"
    yield ""
    if not result["findings"]:
        yield "None."
        yield ""
    for cause, findings in by_cause(result["findings"], remarks.get("causes", [])):
        yield from cause_lines(peer, cause, findings)
    yield "## Checks"
    yield ""
    yield from check_lines(result["checks"])
    yield ""


def table_of_probe(text):
    """The probe's columns are two or more blanks apart."""
    yield "| fact | found | seen |"
    yield "|---|---|---|"
    for line in text.splitlines():
        words = [word.strip() for word in line.split("  ") if word.strip()]
        if len(words) > 1:
            yield f"| {words[0]} | {cell(words[1])} | {cell('; '.join(words[2:]))} |"


def probe_lines(found):
    yield "## As probed"
    yield ""
    yield f"`assay probe {found['kernel']}`, {found['seconds']} s:"
    yield ""
    if not found["table"].strip():
        yield found["errors"].strip() or "It did not end within its time; nothing was found."
        yield ""
        return
    yield from table_of_probe(found["table"])
    yield ""
    if found["manifest"]:
        yield "```json"
        yield found["manifest"].rstrip()
        yield "```"
        yield ""


def remarks_of(name, remarks):
    own = remarks.get(name, {})
    return {**remarks_of(own["like"], remarks), **own} if "like" in own else own


def page(peer, record, machine, remarks):
    lines = [f"# {peer.title}", "",
             *wrapped(f"Kernel `{peer.spec()}`, {versions_of(peer, machine)}."), ""]
    if record.get("problem"):
        lines += [f"Not judged: {record['problem']}", ""]
    if not peer.certified:
        lines += ["Probed only: profile `peers` was not run.", ""]
    if "certify" in record:
        lines += certify_lines(peer, record["certify"], remarks)
    for title, sentences in (("What its documentation says", peer.documentation),
                             ("What this cannot see", (*peer.limits, *remarks.get("notes", ())))):
        if sentences:
            lines += [f"## {title}", ""]
            lines += [line for sentence in sentences for line in wrapped(sentence, "- ")]
            lines += [""]
    if "probe" in record:
        lines += probe_lines(record["probe"])
    return "\n".join(lines).rstrip() + "\n"


def row_of(peer, record, remarks):
    result = record.get("certify", {})
    causes = list(by_cause(result.get("findings", []), remarks.get("causes", [])))
    found = "; ".join(f"{cause['title']} ({len(findings)})" for cause, findings in causes)
    verdict = record.get("problem") or result.get("verdict", "probed only")
    cut = result.get("incompleteBecause") and verdict != "Incomplete"
    verdict += ", incomplete" if cut else ""
    cases = result.get("domain", {}).get("distinctCases", "")
    return (f"| [{peer.title}]({peer.name}.md) | {cell(verdict)} | {cases} | "
            f"{counts_of(result.get('checks', []))} | {found} |")


def write_index(folder, rows, machine):
    file = folder / "README.md"
    text = file.read_text()
    table = ["", "| kernel | verdict | cases | checks | findings, and how many checks show them |",
             "|---|---|---|---|---|", *rows, ""]
    parts = [f"{name} {machine[name]}" for name in ("torch", "triton", "jax", "cublas", "python")
             if machine.get(name)]
    table += [*wrapped(f"GPU and driver: {machine.get('gpu', 'unknown')}; " + ", ".join(parts)
                       + "."), ""]
    begin, end = text.index(INDEX_BEGIN) + len(INDEX_BEGIN), text.index(INDEX_END)
    file.write_text(text[:begin] + "\n" + "\n".join(table) + text[end:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, help="peers.json of one or more runs")
    parser.add_argument("--to", type=Path, default=PAGES, help="folder of the pages")
    options = parser.parse_args()
    remarks_file = PAGES / "remarks.json"
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
        own = remarks_of(peer.name, remarks)
        text = page(peer, records[peer.name], machine, own)
        (options.to / f"{peer.name}.md").write_text(text)
        rows.append(row_of(peer, records[peer.name], own))
    write_index(options.to, rows, machine)


if __name__ == "__main__":
    main()
