"""The assay command from Python: certify a kernel, run one case, both in worker processes."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from .kernel import Kernel

_PASSED, _FAILED, _INCOMPLETE = 0, 1, 3


def find_command():
    """The program: inside an installed package, beside a build folder, in a prefix, or in PATH."""
    package = Path(__file__).absolute().parent
    for place in (package / "bin" / "assay", package.parents[1] / "assay",
                  package.parents[2] / "bin" / "assay"):
        if place.is_file() and os.access(place, os.X_OK):
            return str(place)
    found = shutil.which("assay")
    if found is None:
        raise FileNotFoundError("the program assay is neither in the package nor in PATH")
    return found


def _spec(kernel):
    if isinstance(kernel, Kernel):
        return kernel.spec()
    if isinstance(kernel, str):
        return kernel
    raise TypeError("a kernel is a function under @assay.kernel, or a word of the command line as "
                    f"'cpu' or './my_kernel.so', not {type(kernel).__name__}")


def _run(words):
    environment = {"ASSAY_PYTHON": sys.executable, **os.environ}
    done = subprocess.run([find_command(), *words], env=environment, text=True, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode not in (_PASSED, _FAILED, _INCOMPLETE):
        raise ValueError(done.stderr.strip() or f"assay ended with {done.returncode}")
    return done


@dataclass
class Report:
    """What a profile has shown. `checks` and `findings` are those of the report as JSON."""

    verdict: str  # "Passed" | "Failed" | "Incomplete"
    certified: bool
    checks: list = field(repr=False)
    findings: list = field(repr=False)
    text: str = field(repr=False)

    @property
    def passed(self):
        return self.verdict == "Passed"

    def finding_of(self, check):
        return next((each for each in self.findings if each["check"] == check), None)


def certify(kernel, profile="ci", **options):
    """Runs a profile. Further options are the command's, as jobs=1, filter="exact", budget=30."""
    words = ["certify", _spec(kernel), "--profile", profile, "--json", "-"]
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    done = _run(words)
    report = json.loads(done.stdout)
    return Report(report["verdict"], report["certified"], report["checks"], report["findings"],
                  done.stderr)


@dataclass
class Result:
    """One case's verdict; `text` is what the command prints, with how to run it again."""

    verdict: str
    text: str = field(repr=False)

    @property
    def passed(self):
        return self.verdict == "Passed"


def run(line, kernel, check=None):
    """Runs and judges one case: assay.run("pass=fwd k=96 n=64 rows=0,7,128,1", my_kernel)."""
    words = ["run", line, "--kernel", _spec(kernel)]
    if check is not None:
        words += ["--check", check]
    done = _run(words)
    return Result(done.stdout.split(":", 1)[0], done.stdout)


def checks():
    """The names of all checks."""
    lines = _run(["list", "checks"]).stdout.splitlines()
    return [line.split()[0] for line in lines if line.strip()]


def main():
    """The console script: the program itself, with this interpreter for Python kernels."""
    os.environ.setdefault("ASSAY_PYTHON", sys.executable)
    program = find_command()
    os.execv(program, [program, *sys.argv[1:]])
