"""What a run of `assay certify` that was killed has left in its record, as its report has it."""

import json
import shlex

JUDGED = ("Passed", "Failed", "Measured")
FOUND = ("Failed", "Crashed", "Hung")


def lines_of(record):
    for line in record.read_text().splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            return  # the line that was being written


def ratio_of(line):
    return float(line.get("errorOverBound") or 0)


def as_met(kernel, line):
    replay = f"assay run {shlex.quote(line['case'])} --kernel {kernel} --check {line['check']}"
    return {"check": line["check"], "verdict": line["verdict"], "reason": line.get("reason", ""),
            "case": line["case"], "worst": line.get("worst"), "wrongElements": 0, "replay": replay,
            "diagnosis": {"hypothesis": "", "sentence": ""}}


def new_check(name):
    return {"check": name, "verdict": "Incomplete", "reason": "the run was cut", "drawn": 0,
            "cases": 0, "runs": 0, "verdicts": {}, "worst": None, "measured": None}


def read(record, kernel):
    checks, met, explained = {}, {}, {}
    runs, header = 0, {}
    for line in lines_of(record):
        if "assayRun" in line:
            header = line
        elif "job" in line:
            check = checks.setdefault(line["check"], new_check(line["check"]))
            kind = line["verdict"]
            check["drawn"] += 1
            check["cases"] += kind in JUDGED
            check["runs"] += line.get("runs", 0)
            check["verdicts"][kind] = check["verdicts"].get(kind, 0) + 1
            runs += line.get("runs", 0)
            worst = check["worst"]
            if kind in JUDGED and (worst is None or worst["errorOverBound"] < ratio_of(line)):
                check["worst"] = {"errorOverBound": ratio_of(line), "case": line["case"]}
            if kind in FOUND:
                check["verdict"], check["reason"] = "Failed", line.get("reason", "")
                met.setdefault(line["check"], as_met(kernel, line))
        elif "finding" in line:
            explained.setdefault(line["is"]["check"], line["is"])
    findings = [explained.get(check, finding) for check, finding in met.items()]
    return {"verdict": "Failed" if findings else "Incomplete", "seconds": 0, "threads": 0,
            "incompleteBecause": ["the run was cut"], "runs": runs, "verdicts": {},
            "gpu": header.get("gpu"), "domain": {}, "checks": list(checks.values()),
            "findings": findings}
