"""The HTML report in headless Chromium: silent, offline, and within the width of a phone."""
import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "certificate"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import chromium  # noqa: E402
import support  # noqa: E402

SCREENSHOTS = pathlib.Path(os.environ.get("ASSAY_SCREENSHOTS", "screenshots"))

# Elements that stick out to the right, but for those inside a box that scrolls.
OVERFLOW = """[...document.querySelectorAll('main *')].filter(e =>
  e.getBoundingClientRect().right > document.documentElement.clientWidth + 1 &&
  !e.closest('svg svg')).slice(0, 5).map(e => e.outerHTML.slice(0, 120))"""

# Text whose contrast to the colour behind it is below 4.5 to 1 (WCAG AA).
CONTRAST = """(() => {
  const rgb = c => c.match(/[\\d.]+/g).map(Number);
  const light = c => { const [r, g, b] = rgb(c).slice(0, 3).map(v => { v /= 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor;
    if (rgb(c).length < 4 || rgb(c)[3] > 0) return c; } return 'rgb(255,255,255)'; };
  const bad = [];
  for (const e of document.querySelectorAll('main *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || e.tagName === 'title' || !e.getClientRects().length) continue;
    const style = getComputedStyle(e), a = light(e.closest('svg') ? style.fill : style.color),
          b = light(behind(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(ratio.toFixed(2) + ' ' + e.outerHTML.slice(0, 100));
  }
  return bad.slice(0, 5);
})()"""


@unittest.skipUnless(chromium.find(), "no Chromium: install the package chromium for this test")
class Report(support.FolderTest):
    count = 200

    def setUp(self):
        super().setUp()
        self.page = chromium.Page(chromium.find())
        self.addCleanup(self.page.close)
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    def report_of(self, kernel, code, name):
        out = self.certify(kernel=kernel, out=name, code=code)
        figures = [{"name": "roof fp64", "value": 90, "unit": "GFLOP/s", "against": ""},
                   {"name": name, "value": 60.5, "unit": "GFLOP/s", "against": "roof"},
                   {"name": "loop of sgemm", "value": 41.0, "unit": "GFLOP/s", "against": ""}]
        bench = self.write("bench.json", json.dumps({"bench": figures}))
        report = self.folder / f"{name}.html"
        support.assay("report", out, "--html", report, "--bench", bench)
        self.assertLess(report.stat().st_size, 2_000_000)
        return report

    def look_at(self, report, name):
        for width in (360, 1440):
            for scheme in ("light", "dark"):
                self.page.requests.clear()
                self.page.show(report, width, scheme)
                self.page.screenshot(SCREENSHOTS / f"{name}-{width}-{scheme}.png")
                with self.subTest(report=name, width=width, scheme=scheme):
                    self.assertEqual(self.page.requests, [report.as_uri()])
                    self.assertEqual(self.page.complaints, [])
                    self.assertLessEqual(
                        self.page.evaluate("document.documentElement.scrollWidth"), width)
                    self.assertEqual(self.page.evaluate(OVERFLOW), [])
                    self.assertEqual(self.page.evaluate(CONTRAST), [])

    def test_is_readable_on_paper(self):
        report = self.report_of(str(support.PLUGINS / "skips_last.so"), 1, "skips_last")
        for scheme in ("light", "dark"):
            self.page.show(report, 720, scheme, media="print")
            self.assertEqual(self.page.evaluate(CONTRAST), [])
            self.assertEqual(self.page.evaluate("getComputedStyle(document.body).backgroundColor"),
                             "rgb(255, 255, 255)")

    def test_of_a_kernel_that_passes(self):
        report = self.report_of("cpu", 0, "cpu")
        self.look_at(report, "passes")
        heads = self.page.evaluate("[...document.querySelectorAll('h2')].map(e => e.textContent)")
        self.assertEqual(heads, ["Checks", "Error over bound", "Determinism", "Routings",
                                 "Coverage", "Speed"])
        self.assertTrue(self.page.evaluate(
            "[...document.querySelectorAll('table')].every(t => t.caption && "
            "[...t.querySelectorAll('th')].every(h => h.scope))"))
        self.assertTrue(self.page.evaluate(
            "[...document.querySelectorAll('figure > svg')].every(s => s.getAttribute('role') === "
            "'img' && s.getAttribute('aria-label') && s.querySelector('title'))"))
        self.assertEqual(self.page.evaluate("document.scripts.length"), 0)

    def test_of_a_kernel_that_fails(self):
        report = self.report_of(str(support.PLUGINS / "skips_last.so"), 1, "skips_last")
        self.look_at(report, "fails")
        self.assertGreater(self.page.evaluate(
            "document.querySelectorAll('.finding svg .border').length"), 1)
        self.assertGreater(self.page.evaluate(
            "document.querySelectorAll('.finding svg .wrong').length"), 0)


if __name__ == "__main__":
    unittest.main()
