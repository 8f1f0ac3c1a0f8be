"""pytest plug-in: a kernel in a test file is a group of tests, one for each check."""

import pytest

from . import command
from .kernel import Kernel


def pytest_addoption(parser):
    parser.getgroup("assay").addoption(
        "--assay-profile", default="quick", metavar="NAME",
        help="profile that kernels under @assay.kernel get: quick (default), ci, full, or a path")


def pytest_pycollect_makeitem(collector, name, obj):
    if isinstance(obj, Kernel):
        return _KernelChecks.from_parent(collector, name=name, kernel=obj)
    return None


class _Failure(Exception):
    """A check that did not pass, with the lines of its finding."""


class _KernelChecks(pytest.Collector):
    def __init__(self, *, kernel, **rest):
        super().__init__(**rest)
        self.kernel = kernel
        self._report = None

    def collect(self):
        for check in command.checks():
            yield _CheckItem.from_parent(self, name=check)

    def report(self):
        # The first check that asks runs the profile for all of them.
        if self._report is None:
            profile = self.config.getoption("--assay-profile")
            self._report = command.certify(self.kernel, profile=profile)
        return self._report


def _lines_of(finding):
    lines = [f"{finding['verdict']}: {finding['reason']}", f"  case    {finding['case']}"]
    if finding["diagnosis"]["sentence"]:
        lines.append(f"  likely  {finding['diagnosis']['sentence']}")
    return "\n".join([*lines, f"  replay  {finding['replay']}"])


class _CheckItem(pytest.Item):
    def runtest(self):
        report = self.parent.report()
        check = next((each for each in report.checks if each["check"] == self.name), None)
        if check is None:
            pytest.skip("not in the profile")
        verdict = check["verdict"]
        if verdict == "Passed":
            return
        if verdict in ("NotApplicable", "NotRun"):
            pytest.skip(f"{verdict}: {check['reason']}")
        if verdict == "Measured":  # which is not a pass
            measured = check["measured"]
            pytest.skip(f"Measured: median {measured['median']:.3g}, worst "
                        f"{measured['worst']:.3g} {measured['unit']}")
        finding = report.finding_of(self.name)
        raise _Failure(_lines_of(finding) if finding else f"{verdict}: {check['reason']}")

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, (_Failure, ValueError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, f"{self.parent.name}: {self.name}"
