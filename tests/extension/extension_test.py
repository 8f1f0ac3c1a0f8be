"""What one addition costs: each *.patch beside this file adds a thing to a copy of the sources.

A patch begins with lines `key: value`:
  name: what it adds
  at_most: how many files of product code (outside tests/) it may touch
  build: targets, blanks between
  run: a shell command in the copy's folder, whose build folder is build/host; it has to exit 0
  expect: text that the command prints; may come again
The copy and its build folder stay, so that a patch costs the next run what it changes.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
FOLDER = pathlib.Path(os.environ.get("ASSAY_EXTENSION_FOLDER", SOURCE / "build" / "extension"))
COPY = FOLDER / "assay"
BUILD = COPY / "build" / "host"
KEYS = ("name", "at_most", "build", "run", "expect")


class Patch:
    def __init__(self, path):
        self.path = path
        text = path.read_text()
        begin = re.search(r"^(?:diff --git|---) ", text, re.MULTILINE)
        if not begin:
            raise ValueError(f"{path}: no diff after the header")
        head, self.diff = text[:begin.start()], text[begin.start():]
        self.expect = []
        values = {}
        for line in head.splitlines():
            key, colon, value = line.partition(": ")
            if key not in KEYS or not colon or not value.strip():
                raise ValueError(f"{path}: {line!r} is not one of {', '.join(KEYS)}: VALUE")
            if key == "expect":
                self.expect.append(value)
            elif key in values:
                raise ValueError(f"{path}: {key!r} comes twice")
            else:
                values[key] = value
        found = {**values, **({"expect": self.expect} if self.expect else {})}
        missing = [key for key in KEYS if key not in found]
        if missing:
            raise ValueError(f"{path}: {', '.join(missing)} is missing")
        self.name, self.build, self.run = values["name"], values["build"].split(), values["run"]
        self.at_most = int(values["at_most"])

    def files(self):
        names = set()
        for line in self.diff.splitlines():
            match = re.match(r"(?:---|\+\+\+) [ab]/(\S+)", line)
            if match:
                names.add(match.group(1))
        return sorted(names)

    def product_files(self):
        return [name for name in self.files() if not name.startswith("tests/")]


def call(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          cwd=COPY, check=False, **options)
    return done.returncode, done.stdout


def source_files():
    """Of the working tree, by their paths in it."""
    skipped = {".git", "build", "__pycache__"}
    for folder, folders, files in os.walk(SOURCE):
        folders[:] = sorted(set(folders) - skipped)
        for file in files:
            path = pathlib.Path(folder, file)
            if path.is_file():
                yield path.relative_to(SOURCE)


def make_copy():
    """The sources as they are; what has not changed keeps its time, and what is built of it."""
    wanted = set(source_files())
    for path in wanted:
        ours, theirs = SOURCE / path, COPY / path
        if theirs.is_file() and theirs.read_bytes() == ours.read_bytes():
            continue
        theirs.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ours, theirs)
        shutil.copymode(ours, theirs)
    for folder, folders, files in os.walk(COPY):
        if pathlib.Path(folder) == COPY:
            folders[:] = [name for name in folders if name != "build"]
        for file in files:
            path = pathlib.Path(folder, file)
            if path.relative_to(COPY) not in wanted:
                path.unlink()


def configure():
    options = [f"-D{key}={os.environ[key]}" for key in ("CMAKE_CXX_COMPILER", "CMAKE_C_COMPILER")
               if os.environ.get(key)]
    return call(["cmake", "-S", ".", "-B", str(BUILD), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                 "-DASSAY_TESTS=OFF", "-DASSAY_CUDA=OFF", "-DASSAY_UNITY=ON", *options])


class Extension(unittest.TestCase):
    def add(self, patch):
        touched = patch.product_files()
        print(f"{patch.path.name}: {patch.name}: {len(touched)} files of product code, at most "
              f"{patch.at_most}: {' '.join(touched)}", file=sys.stderr, flush=True)
        self.assertGreater(len(patch.files()), 0)
        self.assertLessEqual(len(touched), patch.at_most, f"{patch.name} touches {touched}")
        make_copy()
        code, text = call(["patch", "-p1", "--batch", "--forward"], input=patch.diff)
        self.assertEqual(code, 0, text)
        code, text = configure()
        self.assertEqual(code, 0, text)
        jobs = os.environ.get("ASSAY_EXTENSION_JOBS", "1")
        code, text = call(["ninja", "-C", str(BUILD), "-j", jobs, *patch.build])
        self.assertEqual(code, 0, text[-4000:])
        code, text = call(["bash", "-c", patch.run])
        self.assertEqual(code, 0, text)
        for words in patch.expect:
            self.assertIn(words, text)

    def test_patches(self):
        paths = sorted(HERE.glob("*.patch"))
        self.assertGreater(len(paths), 0, f"no *.patch in {HERE}")
        COPY.mkdir(parents=True, exist_ok=True)
        for path in paths:
            with self.subTest(path.name):
                self.add(Patch(path))


class Header(unittest.TestCase):
    DIFF = "--- /dev/null\n+++ b/src/a.cpp\n@@ -0,0 +1 @@\n+a\n--- /dev/null\n+++ b/tests/b.cpp\n"

    def patch(self, text):
        path = FOLDER / "header.patch"
        FOLDER.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.addCleanup(path.unlink, missing_ok=True)
        return Patch(path)

    def test_counts_product_code_only(self):
        patch = self.patch("name: a\nat_most: 1\nbuild: assay\nrun: true\nexpect: a: b\nexpect: c\n"
                           + self.DIFF)
        self.assertEqual(patch.product_files(), ["src/a.cpp"])
        self.assertEqual(patch.files(), ["src/a.cpp", "tests/b.cpp"])
        self.assertEqual(patch.expect, ["a: b", "c"])

    def test_refuses_what_is_missing_or_unknown(self):
        for text in ("name: a\nat_most: 1\nbuild: assay\nrun: true\n" + self.DIFF,
                     "nam: a\n" + self.DIFF, "name: a\nname: a\n" + self.DIFF, "name: a\n"):
            with self.assertRaises(ValueError):
                self.patch(text)


if __name__ == "__main__":
    unittest.main()
