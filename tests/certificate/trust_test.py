"""A wrong kernel gets no certificate: one record is one run, and every reader is told the same."""
import json
import os
import signal
import subprocess
import xml.etree.ElementTree

import unittest

import support

DECLARED = r"""{\"name\": \"plain_loops\", \"passes\": [\"fwd\"], \"weights\": [\"enk\"],\
 \"formats\": [{\"in\": \"fp32\", \"out\": \"fp32\"}], \"offsets\": [\"ends\"],\
 \"base_bytes\": 4, \"deterministic\": true,\
 \"arithmetic\": {\"kind\": \"fma\", \"order\": \"any\", \"fused\": false}}"""
# Adds up from the other end in every second call where k is 512: only the probe has such a case.
ALTERNATES = """static int calls;
        calls += row + col == 0;
        const int64_t last = call->k == 512 && calls % 2 ? call->k - 1 : 0;
        for (int64_t i = 0; i < call->k; ++i) {
          const int64_t k = last > 0 ? last - i : i;"""


class OneRecord(support.FolderTest):
    count = 1200

    def start(self, out):
        """A run that has begun its record, and is far from its end."""
        results = out / "cpu.results.jsonl"
        before = results.read_text().splitlines()[0] if results.exists() else ""
        run = subprocess.Popen([support.ASSAY, "certify", "cpu", "--profile", self.profile,
                                "--out", out, "--quiet"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        support.until(lambda: results.exists() and results.stat().st_size > 10_000
              and results.read_text().splitlines()[0] != before)
        return run

    def test_is_not_shared_by_two_runs(self):
        out = self.folder / "out"
        first = self.start(out)
        for words in ([], ["--resume"], ["--replace"]):
            said = support.assay("certify", "cpu", "--profile", self.profile, "--out", out,
                                 "--quiet", *words, code=2)
            self.assertEqual((said[0], said[1].count("\n")), ("", 1))
            self.assertIn("another run writes", said[1])
        self.assertEqual(first.wait(), 0)
        support.assay("verify", out / "cpu.intoto.jsonl", "--profile", self.profile)
        self.assertEqual(sorted(path.name for path in out.iterdir()),
                         ["cpu.intoto.jsonl", "cpu.junit.xml", "cpu.report.html",
                          "cpu.results.jsonl"])

    def test_is_not_replaced_by_a_merge_while_it_grows(self):
        other = self.certify(out="other")
        first = self.start(self.folder / "out")
        _, said = support.assay("merge", "--profile", self.profile,
                                other / "cpu.results.jsonl", "--out",
                                self.folder / "out", code=2)
        self.assertIn("another run writes", said)
        self.assertEqual(first.wait(), 0)

    def test_begins_without_the_files_of_the_run_before(self):
        out = self.certify(out="out")
        self.assertTrue((out / "cpu.intoto.jsonl").exists())
        run = self.start(out)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        self.assertEqual([path.name for path in out.iterdir()], ["cpu.results.jsonl"])
        _, said = support.assay("report", out, "--markdown", "-")
        self.assertIn("has no verdict", said)

    def test_mixed_of_two_runs_certifies_nothing(self):
        lines = [(self.certify(out=out) / "cpu.results.jsonl").read_text().splitlines(True)
                 for out in ("a", "b")]
        mixed = self.write("mixed.results.jsonl", "".join(lines[0][:9] + lines[1][9:]))
        for words in (["merge", "--profile", self.profile,
                      mixed, "--out", self.folder / "c"], ["report", mixed, "--csv", "-"],
                      ["diff", mixed, mixed]):
            _, said = support.assay(*words, code=2)
            self.assertIn(f"{mixed}:10: the line is of run ", said)


class ALesserRun(support.FolderTest):
    def test_does_not_replace_a_certificate_untold(self):
        out = self.certify()
        before = (out / "cpu.intoto.jsonl").read_bytes()
        lesser = self.write("lesser.profile", support.SMALL.format(count=5)
                            .replace("profile=small", "profile=lesser"))
        none = self.write("none.profile", support.SMALL.format(count=self.count)
                          .replace("profile=small", "profile=none")
                          .replace("certifies=cpu", "certifies=none"))
        for words in (["--profile", lesser], ["--profile", none],
                      ["--profile", self.profile, "--filter", "exact"],
                      ["--profile", self.profile, "--seed", "3"]):
            _, said = support.assay("certify", "cpu", "--out", out, *words, code=2)
            self.assertIn("would replace it: name another folder with --out, or say --replace",
                          said)
            self.assertEqual(said.count("\n"), 1)
        self.assertEqual((out / "cpu.intoto.jsonl").read_bytes(), before)
        support.assay("verify", out / "cpu.intoto.jsonl", "--profile", self.profile)
        support.assay("certify", "cpu", "--out", out, "--profile", none, "--replace")
        self.assertNotEqual((out / "cpu.intoto.jsonl").read_bytes(), before)

    def test_of_parts_certifies_what_the_profile_does(self):
        honest = support.SMALL.format(count=self.count).replace("certifies=cpu", "certifies=none")
        self.write("small.profile", honest)
        out = self.certify()
        record = (out / "cpu.results.jsonl").read_text()
        forged = self.write("forged.results.jsonl", support.resealed(
            record.replace('"certifies":[]', '"certifies":["cpu"]', 1)))
        merged = self.folder / "merged"
        said, _ = support.assay("merge", forged, "--profile", self.profile, "--out", merged)
        self.assertIn("profile small does not certify cpu kernels", said)
        self.assertEqual(support.content(merged / "cpu.intoto.jsonl")["profile"]["certifies"], [])
        _, said = support.assay("merge", forged, "--out", merged, code=2)
        self.assertIn("--profile names the file", said)
        self.write("small.profile", honest + "# another\n")
        _, said = support.assay("merge", forged, "--profile", self.profile, "--out", merged, code=2)
        self.assertIn("has the SHA-256", said)

    def test_lies_beside_its_parts(self):
        for part in (1, 2):
            out = self.certify("--shard", f"{part}/2")
        parts = sorted(out.glob("*.results.jsonl"))
        support.assay("merge", "--profile", self.profile, *parts, "--out", out)
        _, said = support.assay("report", out, "--markdown", "-")
        self.assertIn("is certified", said)
        self.certify("--shard", "1/2")
        _, said = support.assay("report", out, "--markdown", "-", code=2)
        self.assertIn("holds 3 runs", said)


class EveryReader(support.FolderTest):
    """certify, merge, report, diff and verify of one run, for runs that end in every way."""

    def crashing(self):
        return self.plugin("crashing", (r'{\"name\": \"plain_loops\"}', DECLARED),
                           ("= sum;", "= call->k > 8 ? *(volatile float*)8 : sum;"))

    def over_promising(self):
        return self.plugin("over_promising", (r'{\"name\": \"plain_loops\"}', DECLARED),
                           ("for (int64_t k = 0; k < call->k; ++k) {", ALTERNATES))

    def told(self, out, name, exit_code):
        """What each reader of the run's record says: passed, failed or incomplete."""
        word = {0: "Passed", 1: "Failed", 3: "Incomplete"}[exit_code]
        results, certificate = out / f"{name}.results.jsonl", out / f"{name}.intoto.jsonl"
        sentence = {0: " passes ", 1: " fails ", 3: " has no verdict "}[exit_code]
        markdown, said = support.assay("report", results, "--markdown", "-")
        self.assertIn(sentence, said)
        self.assertIn(sentence, markdown.splitlines()[0])
        html, _ = support.assay("report", results, "--html", "-")
        self.assertIn(sentence, html)
        for junit in ((out / f"{name}.junit.xml").read_text(),
                      support.assay("report", results, "--junit", "-")[0]):
            suite = xml.etree.ElementTree.fromstring(junit)[0]
            self.assertEqual(int(suite.get("failures")) > 0, exit_code == 1)
            self.assertEqual(int(suite.get("failures")) + int(suite.get("errors")) > 0,
                             exit_code != 0)
        predicate = support.statements(certificate)[0]["predicate"]
        verdicts = {0: ("PASSED", "WAIVED"), 1: ("FAILED",), 3: ("INCOMPLETE",)}[exit_code]
        self.assertIn(predicate["verdict"], verdicts)
        good = exit_code == 0 and predicate["verdict"] == "PASSED"
        support.assay("verify", certificate, "--profile", self.profile, code=0 if good else 1)
        support.assay("diff", results, certificate)
        return word

    def agree(self, kernel, exit_code, *words, whole=True):
        name = os.path.basename(kernel)
        out = self.folder / "out"
        said, _ = support.assay("certify", kernel, "--profile", self.profile, "--out", out,
                                "--json", self.folder / "r.json", *words, code=exit_code)
        word = self.told(out, name, exit_code)
        self.assertIn(f"{word}: {kernel} under profile small", said)
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["verdict"], word)
        if not whole:
            return
        merged = self.folder / "merged"
        said, _ = support.assay("merge", "--profile", self.profile,
                                out / f"{name}.results.jsonl", "--out", merged,
                                code=exit_code)
        self.assertIn(f"{word}: {kernel} under profile small", said)
        self.told(merged, name, exit_code)
        parts = self.folder / "parts"
        for part in (1, 2):
            done = subprocess.run([support.ASSAY, "certify", kernel, "--profile", self.profile,
                                   "--out", parts, "--quiet", "--shard", f"{part}/2", *words],
                                  capture_output=True)
            self.assertIn(done.returncode, (0, 1))
        from_parts = self.folder / "from_parts"
        support.assay("merge", "--profile", self.profile,
                      *sorted(parts.glob("*.results.jsonl")), "--out", from_parts,
                      "--quiet", code=exit_code)
        self.told(from_parts, name, exit_code)

    def test_is_told_that_it_passes(self):
        self.agree(self.plugin("plain"), 0)

    def test_is_told_that_a_check_fails(self):
        self.agree(self.loses_nan(), 1)

    def test_is_told_of_a_crash(self):
        self.agree(self.crashing(), 1)

    def test_is_told_of_a_manifest_that_promises_too_much(self):
        kernel = self.over_promising()
        self.agree(kernel, 1)
        out = self.folder / "out"
        suite = xml.etree.ElementTree.parse(out / "over_promising.so.junit.xml").getroot()[0]
        failed = [case.get("name") for case in suite if case.find("failure") is not None]
        self.assertEqual(failed, ["the_manifest_agrees_with_the_probe"])

    def test_is_told_of_a_waiver(self):
        waivers = self.write("waivers.json", json.dumps({"waivers": [
            {"check": "special_values_propagate", "kernel": "plain_loops", "reason": "known",
             "link": "https://example.org/1", "until": "2099-01-01"}]}))
        self.agree(self.loses_nan(), 0, "--waive", waivers)

    def test_is_told_that_a_budget_cut_it_short(self):
        self.write("small.profile", support.SMALL.format(count=20_000))
        self.agree(self.plugin("plain"), 3, "--budget", "0.3", whole=False)

    def test_is_told_of_an_interrupt(self):
        self.write("small.profile", support.SMALL.format(count=20_000))
        kernel = self.plugin("plain")
        out = self.folder / "out"
        run = subprocess.Popen([support.ASSAY, "certify", kernel, "--profile", self.profile,
                                "--out", out], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True)
        results = out / "plain.so.results.jsonl"
        support.until(lambda: results.exists() and results.stat().st_size > 10_000)
        run.send_signal(signal.SIGINT)
        said, _ = run.communicate()
        self.assertEqual(run.returncode, 3)
        self.assertIn("Incomplete: ", said)
        self.told(out, "plain.so", 3)
        support.assay("merge", "--profile", self.profile,
                      results, "--out", self.folder / "merged", code=2)


if __name__ == "__main__":
    unittest.main()
