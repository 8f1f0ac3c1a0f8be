"""What the tests of the command's files share: running it, and reading what it leaves."""
import base64
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ASSAY = os.environ.get("ASSAY", "assay")
PLUGINS = pathlib.Path(os.environ.get("ASSAY_TEST_PLUGINS", ""))

# Small cases of checks of every kind; it certifies, so that its certificates are accepted.
SMALL = """profile=small device=any certifies=cpu
check=exact_integers_match_bitwise generator=small count={count} seed=1
check=real_values_stay_within_the_bound generator=small count={count} seed=2
check=repeated_runs_give_the_same_bits generator=small count=10 seed=3
check=graph_replay_follows_new_offsets generator=small count=4 seed=4
check=special_values_propagate generator=small count=40 seed=5
check=useful_row_fraction generator=small count=5 seed=10
"""


def assay(*words, code=0, **kwargs):
    """Runs the command; fails unless it exits with `code`. Answers (stdout, stderr)."""
    done = subprocess.run([ASSAY, *map(str, words)], capture_output=True, text=True,
                          errors="replace", **kwargs)
    assert done.returncode == code, f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def resealed(record):
    """A changed record with seals that fit, as whoever forges one would make them."""
    lines, last = [], ""
    for line in record.splitlines():
        line = line[:line.rindex('","seal":"')]
        last = hashlib.sha256(f"{last}\n{line}".encode()).hexdigest()[:16]
        lines.append(f'{line}","seal":"{last}"}}\n')
    return "".join(lines)


def statements(certificate):
    """The statements of a certificate's file, decoded."""
    lines = [json.loads(line) for line in pathlib.Path(certificate).read_text().splitlines()]
    return [json.loads(base64.b64decode(line["payload"])) for line in lines if "payload" in line]


def content(certificate):
    """What a certificate says but for times, machine loads and files."""
    predicate = statements(certificate)[0]["predicate"]
    for field in ("seconds", "threads", "startedAt", "finishedAt", "evidence"):
        del predicate[field]
    return predicate


def until(condition, seconds=60):
    """Waits for it; fails if it does not come."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


class FolderTest(unittest.TestCase):
    """A folder of its own with the profile `small`."""

    count = 60

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay_test_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.profile = self.write("small.profile", SMALL.format(count=self.count))

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def certify(self, *words, kernel="cpu", out="out", code=0):
        assay("certify", kernel, "--profile", self.profile, "--out", self.folder / out, "--quiet",
              *words, code=code)
        return self.folder / out

    def plugin(self, name, *changes):
        """The consumer's plain loops as a plug-in, with changes: pairs of right and wrong words."""
        text = (SOURCE / "src/examples/plain_loops.c").read_text()
        text = text.replace("assay/abi.h", "src/contract/assay/abi.h")
        for right, wrong in changes:
            assert right in text
            text = text.replace(right, wrong, 1)
        source = self.write(name + ".c", text)
        library = self.folder / (name + ".so")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-ffp-contract=off",
                        f"-I{SOURCE}", "-o", library, source], check=True)
        return str(library)

    def loses_nan(self):
        """Right but for special values: NaN becomes zero."""
        return self.plugin("loses_nan", ("= sum;", "= sum != sum ? 0 : sum;"))

    def keys(self):
        private, public = self.folder / "key.pem", self.folder / "key.pub.pem"
        run = lambda *words: subprocess.run(words, check=True, capture_output=True)
        run("openssl", "genpkey", "-algorithm", "ed25519", "-out", private)
        run("openssl", "pkey", "-in", private, "-pubout", "-out", public)
        return private, public
