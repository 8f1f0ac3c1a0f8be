"""Runs that are killed, resumed, cut in parts, signed, compared; and files that are none."""
import csv
import io
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import unittest
import xml.etree.ElementTree

import support


def finished(results):
    """How many cases a record has, whole lines only: a killed run may leave half a line."""
    return sum(line.startswith(b'{"job":') and line.endswith(b"\n")
               for line in results.read_bytes().splitlines(keepends=True))


class KilledRun(support.FolderTest):
    count = 2000  # some seconds, so that a busy machine does not let it end unkilled

    def test_keeps_every_finished_case_and_goes_on(self):
        out = self.folder / "out"
        words = ["certify", "cpu", "--profile", self.profile, "--out", out, "--quiet"]
        results = out / "cpu.results.jsonl"
        run = subprocess.Popen([support.ASSAY, *map(str, words)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        support.until(lambda: results.exists() and finished(results) >= 300)
        os.kill(run.pid, signal.SIGKILL)
        self.assertEqual(run.wait(), -signal.SIGKILL)
        kept = finished(results)
        self.assertGreaterEqual(kept, 300)
        text, said = support.assay("report", results, "--csv", "-")
        self.assertEqual(len(list(csv.DictReader(io.StringIO(text)))), kept)
        self.assertIn("has no verdict", said)
        self.assertIn("did not end", said)
        before = results.read_bytes()
        support.assay(*words, "--resume")
        self.assertEqual(results.read_bytes()[:len(before)], before)
        whole = self.certify(out="whole")
        self.assertEqual(support.content(out / "cpu.intoto.jsonl"),
                         support.content(whole / "cpu.intoto.jsonl"))

    def test_is_not_taken_for_another(self):
        out = self.certify("--budget", "0.2", code=3)
        self.write("small.profile", support.SMALL.format(count=self.count - 1))
        _, said = support.assay("certify", "cpu", "--profile", self.profile, "--out", out,
                                "--resume", code=2)
        self.assertIn("is another run's: different digests of the profile", said)


class Shards(support.FolderTest):
    def test_merged_are_the_run(self):
        whole = self.certify(out="whole")
        for part in (1, 2, 3):
            out = self.certify("--shard", f"{part}/3", out="parts")
        self.assertFalse((out / "cpu.intoto.jsonl").exists(), "a part is not a certificate")
        parts = sorted(out.glob("*.results.jsonl"))
        merged = self.folder / "merged"
        support.assay("merge", "--profile", self.profile, *parts, "--out", merged)
        self.assertEqual(support.content(merged / "cpu.intoto.jsonl"),
                         support.content(whole / "cpu.intoto.jsonl"))
        _, said = support.assay("merge", "--profile", self.profile,
                                *parts[:2], "--out", merged, code=3)
        self.assertFalse(said.startswith("assay merge"))

    @unittest.skipUnless(shutil.which("mpirun") and os.environ.get("ASSAY_MPI") == "ON",
                         "built without MPI, or no mpirun")
    def test_ranks_are_the_run(self):
        whole = self.certify(out="whole")
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        subprocess.run(["mpirun", "--oversubscribe", "-n", "2", support.ASSAY, "certify", "cpu",
                        "--profile", self.profile, "--out", self.folder / "ranks", "--quiet"],
                       check=True, env=environment, capture_output=True)
        self.assertEqual(support.content(self.folder / "ranks/cpu.intoto.jsonl"),
                         support.content(whole / "cpu.intoto.jsonl"))


class OwnCases(support.FolderTest):
    """`--cases FILE`: judged, counted, sharded, resumed and certified beside the profile's."""

    def setUp(self):
        super().setUp()
        self.cases = self.write("own.cases", """# a model of ours
pass=fwd in=fp32 k=9 n=5 rows=3,0

pass=wgrad in=fp32 k=5 n=9 rows=0,7 fill=normal  # a gradient
pass=fwd in=fp32 k=3 n=7 rows=1,2 fill=special
""")

    def own(self, certificate):
        predicate = support.content(certificate)
        check, = (one for one in predicate["checks"] if one["check"] == "own_cases_are_right")
        return predicate["ownCases"], check

    def test_are_in_the_certificate_and_certify(self):
        out = self.certify("--cases", self.cases)
        own, check = self.own(out / "cpu.intoto.jsonl")
        self.assertEqual((own["cases"], check["drawn"], check["cases"], check["status"]),
                         (3, 3, 3, "PASSED"))
        support.assay("verify", out / "cpu.intoto.jsonl", "--profile", self.profile)
        plain = self.certify(out="plain")
        self.assertNotIn("ownCases", support.content(plain / "cpu.intoto.jsonl"))
        text, _ = support.assay("diff", plain, out)
        self.assertIn("own cases: none | 3, SHA-256 " + own["digest"]["sha256"], text)

    def test_in_parts_and_resumed_are_the_run(self):
        whole = self.certify("--cases", self.cases, out="whole")
        for part in (1, 2):
            out = self.certify("--cases", self.cases, "--shard", f"{part}/2", out="parts")
        merged = self.folder / "merged"
        support.assay("merge", "--profile", self.profile,
                      *sorted(out.glob("*.results.jsonl")), "--out", merged)
        self.assertEqual(support.content(merged / "cpu.intoto.jsonl"),
                         support.content(whole / "cpu.intoto.jsonl"))
        cut = self.certify("--cases", self.cases, "--budget", "0.01", out="cut", code=3)
        _, said = support.assay("certify", "cpu", "--profile", self.profile, "--out", cut,
                                "--resume", code=2)
        self.assertIn("is another run's: different", said)
        self.certify("--cases", self.cases, "--resume", out="cut")
        self.assertEqual(support.content(cut / "cpu.intoto.jsonl"),
                         support.content(whole / "cpu.intoto.jsonl"))

    def test_that_fail_are_found(self):
        kernel = self.plugin("wrong_at_9", ("= sum;", "= call->k == 9 && call->n == 5 ? 0 : sum;"))
        support.assay("certify", kernel, "--profile", self.profile)
        text, _ = support.assay("certify", kernel, "--profile", self.profile, "--cases",
                                self.cases, code=1)
        self.assertRegex(text, r"own_cases_are_right .* Failed  1 of 1 case failed, 2 left out")

    def test_in_a_profile_belong_to_its_digest(self):
        line = "case=pass=fwd in=fp32 k=9 n=6 rows=3,0\n"
        self.write("small.profile", support.SMALL.format(count=self.count) + line)
        out = self.certify("--cases", self.cases)
        own, check = self.own(out / "cpu.intoto.jsonl")
        self.assertEqual((own["cases"], check["cases"]), (4, 4))
        support.assay("verify", out / "cpu.intoto.jsonl", "--profile", self.profile)

    def test_that_are_wrong_are_refused_with_their_line(self):
        good = "pass=fwd k=8 n=8 rows=3\n"
        for text, part in ((good + "\n" + good.replace("3", "x"), ":3: rows: 'x'"),
                           ("# nothing\n\n", "holds no case; expected one a line")):
            _, said = support.assay("certify", "cpu", "--cases", self.write("bad.cases", text),
                                    code=2)
            self.assertIn(part, said)
            self.assertEqual(said.count("\n"), 1)

    def test_of_the_readme_are_imported_and_judged(self):
        readme = (support.SOURCE / "README.md").read_text()
        block, = (text for text in readme.split("```") if "./run assay import" in text)
        script = block.replace("./run assay", shlex.quote(support.ASSAY))
        done = subprocess.run(["bash", "-ec", script], cwd=self.folder, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "own.cases").read_text().count("\n"), 4)
        self.assertRegex(done.stdout, r"own_cases_are_right +4 ")

    def test_outside_the_manifest_are_unsupported(self):
        cases = self.write("fp64.cases", "pass=fwd in=fp32 k=8 n=8 rows=3 tactic=none\n"
                           "pass=fwd in=fp32 k=8 n=8 rows=3\n")
        out = self.certify("--cases", cases)
        _, check = self.own(out / "cpu.intoto.jsonl")
        self.assertEqual((check["unsupported"], check["cases"]), (1, 1))


class Names(support.FolderTest):
    """Words of a kernel and of its file, in what a terminal or a page gets."""

    def test_of_a_file_reach_no_terminal_as_they_are(self):
        odd = "k\x1b[2K\u202e\n# <img src=x>|`.so"
        kernel = self.folder / odd
        shutil.copy(self.loses_nan(), kernel)
        texts = support.assay("certify", kernel, "--profile", self.profile, "--out", "out",
                              cwd=self.folder, code=1)
        results, = (self.folder / "out").glob("*.results.jsonl")
        texts += support.assay("report", results, "--markdown", "-")
        texts += support.assay("report", results, "--junit", "-")
        texts += support.assay("report", results, "--html", "-")
        certificate, = (self.folder / "out").glob("*.intoto.jsonl")
        texts += support.assay("verify", certificate, "--profile", self.profile, code=1)
        texts += support.assay("diff", results, certificate)
        texts += support.assay("verify", self.folder / (odd + "none"), code=2)
        for text in texts:
            for character in "\x1b\u202e":
                self.assertNotIn(character, text)
            self.assertNotRegex(text, r"(?m)^# ")
        for page in texts[4], texts[6]:
            self.assertNotIn("<img", page)
        self.assertTrue(texts[2].startswith(
            "## Kernel 'k \\[2K? \\# &lt;img src=x&gt;\\|\\`.so' fails"), texts[2])
        # The line that shows a finding again still does.
        replay = next(line for line in texts[0].splitlines() if line.startswith("  replay  "))
        command = replay[10:].replace("assay", shlex.quote(support.ASSAY), 1)
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)

    def test_of_a_kernel_are_printable_and_short(self):
        for name in (r"a\\u001b[31mb", r"a\\u202eb", "n" * 129, ""):
            kernel = self.plugin("named", ('\\"plain_loops\\"', f'\\"{name}\\"'))
            for words in (["certify", kernel, "--profile", self.profile], ["probe", kernel]):
                stdout, stderr = support.assay(*words, code=2)
                self.assertEqual((stdout, stderr.count("\n")), ("", 1), name)
                self.assertIn("is not from 1 to 128 bytes of printable text", stderr)


class Files(support.FolderTest):
    def test_of_a_real_certificate_any_changed_bit_is_seen(self):
        private, public = self.keys()
        for sign, key in (([], []), (["--sign", private], ["--key", public])):
            out = self.certify(*sign)
            file = out / "cpu.intoto.jsonl"
            verify = ["verify", file, "--profile", self.profile, *key]
            support.assay(*verify)
            good = file.read_bytes()
            draw = random.Random(17)
            for bit in draw.sample(range(8 * len(good)), 20):
                damaged = bytearray(good)
                damaged[bit // 8] ^= 1 << bit % 8
                file.write_bytes(damaged)
                done = subprocess.run([support.ASSAY, *map(str, verify)], capture_output=True,
                                      text=True, errors="replace")
                self.assertIn(done.returncode, (1, 2), f"bit {bit}: {done.stdout}")
                self.assertEqual((done.stdout + done.stderr).count("\n"), 1)

    def test_that_cannot_be_read_are_refused_in_one_line(self):
        out = self.certify()
        results = (out / "cpu.results.jsonl").read_text()
        certificate = (out / "cpu.intoto.jsonl").read_text()
        cut = self.write("cut.results.jsonl", results[:-7])
        newer = self.write("newer.results.jsonl",
                           support.resealed(results.replace('"assayRun":2', '"assayRun":9', 1)))
        foreign = self.write("foreign.json", '{"hello": "world"}\n')
        policy = self.write("policy.json", '{"expires": "2020-01-01"}')
        rsa = self.folder / "rsa.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-out", rsa], check=True,
                       capture_output=True)
        file = out / "cpu.intoto.jsonl"
        for words, part in (
                (["report", cut, "--csv", "-"], "is cut off after"),
                (["merge", cut, "--out", out], "is cut off after"),
                (["diff", cut, cut], "is cut off after"),
                (["report", newer, "--csv", "-"], "version 9; this assay reads versions up to 2"),
                (["report", foreign, "--csv", "-"], "no run of assay"),
                (["report", out], "nothing to write"),
                (["report", self.folder / "none", "--csv", "-"], "cannot read"),
                (["report", out, "--html", "/none/there.html"], "cannot write"),
                (["verify", foreign], "unknown field 'hello'"),
                (["verify", self.write("c.jsonl", certificate[:-9])], "damaged"),
                (["verify", file, "--policy", policy], "the policy expired on 2020-01-01"),
                (["verify", file, "--policy", foreign], "unknown field 'hello'"),
                (["verify", file, "--key", rsa], "holds no public key"),
                (["verify", file, "--at", "noon"], "'noon' is not a time"),
                (["verify", file, "--at", "2026-02-31T00:00:00Z"], "is not a time"),
                (["verify", file, "--artifact", "none.so", "--profile", self.profile],
                 "built-in kernel cpu"),
                (["certify", "cpu", "--shard", "4/3"], "'4/3' is not a part"),
                (["certify", "cpu", "--resume"], "--resume needs --out"),
                (["certify", "cpu", "--out", out, "--sign", rsa], "type RSA; allowed is Ed25519"),
                (["certify", "cpu", "--out", foreign], "cannot write into the folder"),
                (["certify", "cpu", "--waive", foreign], "allowed are waivers")):
            stdout, stderr = support.assay(*words, code=2)
            self.assertEqual((stdout, stderr.count("\n")), ("", 1), words)
            self.assertIn(part, stderr, words)

    def test_compared_say_what_is_new_and_what_is_fixed(self):
        good = self.certify(kernel=self.plugin("plain"), out="good")
        bad = self.certify(kernel=self.loses_nan(), out="bad", code=1)
        text, _ = support.assay("diff", good, bad, code=1)
        self.assertIn("new: fails now\n", text)
        self.assertIn("artifact: plain.so | loses_nan.so\n", text)
        text, _ = support.assay("diff", bad / "loses_nan.so.intoto.jsonl", good)
        self.assertIn("fixed\n", text)
        text, _ = support.assay("diff", good, good / "plain.so.intoto.jsonl")
        self.assertRegex(text, r"0 new, 0 fixed, 0 lost, 0 gained, 0 worse, 0 better, \d+ the same")

    def test_of_junit_count_what_they_list(self):
        out = self.certify(kernel=self.loses_nan(), code=1)
        suite = xml.etree.ElementTree.parse(out / "loses_nan.so.junit.xml").getroot()[0]
        for tag, field in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped"),
                           (None, "tests")):
            found = [case for case in suite.findall("testcase")
                     if tag is None or case.find(tag) is not None]
            self.assertEqual(len(found), int(suite.get(field)), field)
        names = [case.get("name") for case in suite.findall("testcase")]
        figure, = suite.find("properties")
        self.assertNotIn(figure.get("name"), names, "it would count as passed")
        self.assertRegex(figure.get("value"), r"median .* of the rows in 128-row tiles are tokens")
        failure = next(suite.iter("failure"))
        self.assertIn("replay  ", failure.text)
        text, _ = support.assay("report", out, "--markdown", "-")
        self.assertIn("| special_values_propagate | Failed |", text)
        self.assertIn("| useful_row_fraction | Measured |", text)
        self.assertIn("replay  ", text)

    def test_of_reports_have_the_counts_of_failures(self):
        out = self.certify("--keep-going", kernel=self.loses_nan(), code=1)
        told = json.loads(support.assay("report", out, "--json", "-")[0])
        row, = (one for one in told["checks"] if one["check"] == "special_values_propagate")
        self.assertGreater(row["failedCases"], 1)
        words = rf"{row['failedCases']} of {row['drawn']} cases failed"
        for form in ("--markdown", "--html"):
            self.assertIn(words, support.assay("report", out, form, "-")[0], form)
        both, _ = support.assay("report", out, out, "--json", "-")
        self.assertEqual(json.loads(both), [told, told])

    def test_of_policies_name_known_checks(self):
        file = self.certify() / "cpu.intoto.jsonl"
        policy = self.write("policy.json", '{"checks": ["zzz"]}')
        _, said = support.assay("verify", file, "--profile", self.profile, "--policy", policy,
                                code=2)
        self.assertIn("field 'checks': unknown check 'zzz'; `assay list checks` has them", said)

    def test_of_one_thread_say_so(self):
        text, _ = support.assay("certify", "cpu", "--profile", self.profile, "--jobs", "1")
        self.assertIn(", 1 thread;", text)

    def test_of_speeds_become_bars_with_a_roof(self):
        line = lambda name, kind, tera: {
            "name": name, "tactic": "", "kind": kind, "rounds": 9, "seconds": 1e-3, "spread": 0.01,
            "flopPerSecond": tera * 1e12, "ofRoof": None, "overBestBaseline": None,
            "overFloor": 1.0, "wrong": False, "trouble": ""}
        product = {"case": "moe64", "pass": "fwd", "k": 4096, "n": 2048, "experts": 64,
                   "rows": 4096, "largest": 99, "empty": 3, "flop": 1e12, "floorSeconds": 1e-4,
                   "memoryBound": False, "bestBaseline": "cublas",
                   "contestants": [line("dense cuBLAS", "roof", 700),
                                   line("cublas", "baseline", 400), line("sm90", "kernel", 560)]}
        record = {"format": "assay-bench-gpu/1", "gpu": "g", "driver": "d", "runtime": "r",
                  "cublas": "c", "in": "bf16", "weights": "enk", "copyBytesPerSecond": 4e12,
                  "bareSeconds": 1e-6, "products": [product], "tactics": []}
        bench = self.write("gpu.json", json.dumps(record))
        text, _ = support.assay("report", self.certify(), "--html", "-", "--bench", bench)
        self.assertIn("TFLOP/s, moe64 fwd: cublas 400 (57 % of the roof); sm90 560 (80 % of the",
                      text)
        self.assertIn(">roof 700<", text)
        support.assay("report", self.folder / "out", "--html", "-", "--bench", self.profile, code=2)

    def test_from_the_future_are_rejected(self):
        file = self.certify() / "cpu.intoto.jsonl"
        verify = ["verify", file, "--profile", self.profile]
        support.assay(*verify)
        text, _ = support.assay(*verify, "--at", "2020-01-01T00:00:00Z", code=1)
        self.assertIn("dated after 2020-01-01T00:00:00Z: the run ended at 20", text)

    def test_of_a_profile_that_has_changed_are_rejected(self):
        out = self.certify()
        self.write("small.profile", support.SMALL.format(count=self.count) + "# one more\n")
        text, _ = support.assay("verify", out / "cpu.intoto.jsonl", "--profile", self.profile,
                                code=1)
        self.assertIn("has the SHA-256", text)


if __name__ == "__main__":
    unittest.main()
