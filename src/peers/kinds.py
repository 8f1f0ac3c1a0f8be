"""Findings of one kind: what one mistake shows in several checks is one finding."""

import re


def key_of(finding):
    """The diagnosis, else what went wrong without its numbers, in one pass."""
    what = finding["diagnosis"].get("hypothesis") or re.sub(r"\d+", "#", finding["reason"])
    return what, finding["case"].split()[0], finding["verdict"]


def by_kind(findings):
    """Lists of findings of one kind, in the order in which they were met."""
    kinds = {}
    for finding in findings:
        kinds.setdefault(key_of(finding), []).append(finding)
    return list(kinds.values())
