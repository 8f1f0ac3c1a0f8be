#!/usr/bin/env python3
"""Prints 'N passed, N failed, N skipped' over ctest's JUnit files; exit 1 when any failed.

usage: closing_line.py [--extra-failures N] FILE...
A file that is missing or not JUnit counts as one failure: a run that left no result did not pass.
A test that ctest could not run ("notrun" without having asked to be skipped) has failed.
The end of what a failed test printed follows its name: a log of an hour may be kept in part.
"""
import sys
import xml.etree.ElementTree as ElementTree

LINES = 30


def count(path):
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        status = case.get("status")
        if status == "run":
            passed += 1
        elif status in ("notrun", "disabled") and skipped_on_purpose(case):
            skipped += 1
            print(f"skipped: {case.get('name')}")
        else:
            failed += 1
            print(f"failed: {case.get('name')}")
            for line in (case.findtext("system-out") or "").splitlines()[-LINES:]:
                print(f"  {line}")
    return passed, failed, skipped


def skipped_on_purpose(case):
    reason = case.find("skipped")
    message = "" if reason is None else reason.get("message", "")
    return message == "SKIP_REGULAR_EXPRESSION_MATCHED" or case.get("status") == "disabled"


def main(arguments):
    total = [0, 0, 0]
    if arguments[:1] == ["--extra-failures"]:
        total[1] = int(arguments[1])
        arguments = arguments[2:]
    for path in arguments:
        try:
            counts = count(path)
        except (OSError, ElementTree.ParseError) as error:
            print(f"failed: no results in {path}: {error}")
            counts = (0, 1, 0)
        total = [sum(pair) for pair in zip(total, counts)]
    passed, failed, skipped = total
    if passed == 0:
        failed = max(failed, 1)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
