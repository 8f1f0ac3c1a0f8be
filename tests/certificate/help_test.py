"""The help is whole: every topic, a page for every check, a man page that man can read."""
import re
import shutil
import subprocess
import unittest

import support


class Help(unittest.TestCase):
    def test_has_every_topic_that_it_lists(self):
        text, _ = support.assay("help")
        topics = re.findall(r"^  (\w+) ", text.split("topics", 1)[1].split("exit:")[0], re.M)
        self.assertEqual(topics, ["cases", "import", "offsets", "scales", "checks", "aspects",
                                  "bounds", "manifest",
                                  "certificate", "waivers", "ci"])
        for topic in topics:
            page, _ = support.assay("help", topic)
            self.assertGreater(len(page), 400, topic)
            if topic not in ("checks", "offsets"):  # sentences of checks; options of a command
                self.assertLessEqual(max(map(len, page.splitlines())), 100, topic)

    def test_has_a_page_for_every_check(self):
        text, _ = support.assay("list", "checks")
        checks = re.findall(r"^  (\w+)  ", text, re.M)
        self.assertGreater(len(checks), 40)
        for check in checks:
            page, _ = support.assay("help", check)
            for part in ("It tests\n  ", "It is for\n  ", "Cases\n  "):
                self.assertIn(part, page, check)
            advice = re.search(r"\n(?:When it fails|What the figure says)\n(.*)\nAgain\n", page,
                               re.S).group(1)
            self.assertGreater(len(advice.strip()), 60, f"{check} has no advice")

    def test_of_checks_is_what_the_docs_have(self):
        text, _ = support.assay("help", "checks", "--markdown")
        self.assertEqual(text, (support.SOURCE / "properties/checks.md").read_text(),
                         "run: assay help checks --markdown > properties/checks.md")

    def test_refuses_other_words(self):
        _, said = support.assay("help", "offset", code=2)
        self.assertIn("unknown topic 'offset'; allowed: certify", said)

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_as_man_page_is_read_without_a_warning(self):
        page, _ = support.assay("help", "--man")
        done = subprocess.run(["groff", "-man", "-ww", "-Tascii"], input=page, capture_output=True,
                              text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("CERTIFICATE", re.sub(".\x08", "", done.stdout))


if __name__ == "__main__":
    unittest.main()
