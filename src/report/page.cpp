// The page around a report, with its style sheet.
#include <fmt/format.h>

#include "src/report/html.h"

namespace assay {
namespace {

// Contrast of text is at least 4.5 to 1 in both themes.
constexpr std::string_view kColours = R"css(
:root{color-scheme:light dark;--paper:#fdfdfc;--ink:#1c2024;--soft:#5a6169;--line:#d9dce0;
--card:#f3f4f5;--accent:#1e5fae;--pale:#cfdff2;--good:#12703a;--good-card:#e3f3e8;--bad:#b3261e;
--bad-card:#fbe6e4;--warn:#7d5700;--warn-card:#fbf0d5}
@media screen and (prefers-color-scheme:dark){:root{--paper:#15181b;--ink:#e8eaed;--soft:#a4abb3;
--line:#3a4046;--card:#1e2226;--accent:#7fb2f0;--pale:#2c4766;--good:#6fcf97;--good-card:#16301f;
--bad:#ff8a80;--bad-card:#3a1917;--warn:#f0c05a;--warn-card:#352a10}}
@media print{:root{--paper:#fff;--ink:#000;--soft:#333}body{font-size:10pt}
section,figure,.finding{break-inside:avoid}details>*{display:block}}
)css";

constexpr std::string_view kRules = R"css(*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1200px;margin:0 auto;padding:1rem 1rem 3rem}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}
h2{font-size:1.15rem;margin:2.2rem 0 .6rem;padding-top:.6rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:0 0 .3rem}
p{margin:.4rem 0;max-width:75ch}
code,pre{font:.85em/1.45 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
pre,code,th,td,dd,p,h1,h3{overflow-wrap:anywhere}
pre{white-space:pre-wrap;background:var(--card);padding:.5rem .7rem;border-radius:6px;
margin:.4rem 0}
.verdict{border-left:6px solid;padding:.7rem 1rem;border-radius:4px}
.verdict p{margin:.2rem 0}
.passed{border-color:var(--good);background:var(--good-card)}
.failed{border-color:var(--bad);background:var(--bad-card)}
.open{border-color:var(--warn);background:var(--warn-card)}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}.soft{color:var(--soft)}
.good,.bad,.warn{font-weight:600}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}
dt{color:var(--soft)}dd{margin:0}
table{border-collapse:collapse;width:100%;font-size:.9rem;margin:.5rem 0}
caption{text-align:left;color:var(--soft);padding:.2rem 0}
th,td{text-align:left;vertical-align:top;padding:.3rem .5rem;border-bottom:1px solid var(--line)}
thead th{color:var(--soft);font-weight:600}tbody th{font-weight:400}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
th small,td small{color:var(--soft);display:block}
.finding{border:1px solid var(--line);border-left:6px solid var(--bad);border-radius:6px;
padding:.7rem 1rem;margin:.8rem 0}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,320px),1fr));
gap:1rem 1.5rem}
figure{margin:0;min-width:0}figcaption{color:var(--soft);font-size:.82rem}
svg{width:100%;height:auto;display:block}
.label{font-size:11px;fill:var(--soft)}.title{font-size:12px;font-weight:600;fill:var(--ink)}
.axis{stroke:var(--line)}.bar{fill:var(--accent)}.exact{fill:var(--soft)}
.over{fill:var(--bad)}.limit{stroke:var(--bad);stroke-dasharray:4 3;stroke-width:1.5}
.limit-label{font-size:11px;fill:var(--bad)}
.curve{fill:none;stroke:var(--accent);stroke-width:2}.thin{fill:none;stroke:var(--soft)}
.band{fill:var(--pale);stroke:none}
.cell1,.cell2,.cell3,.cell4{fill:var(--accent);stroke:var(--paper)}
.cell1{fill-opacity:.3}.cell2{fill-opacity:.5}.cell3{fill-opacity:.75}
.hole{fill:none;stroke:var(--bad);stroke-width:1.2;stroke-dasharray:3 2}
.impossible{fill:var(--card);stroke:none}
.right{fill:var(--pale);stroke:var(--paper)}.partly{fill:var(--warn);stroke:var(--paper)}
.wrong{fill:var(--bad);stroke:var(--paper)}
.border{stroke:var(--ink);stroke-width:2}
@media (max-width:640px){.minor{display:none!important}body{font-size:15px}
dl{grid-template-columns:1fr}dd{margin-bottom:.3rem}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tbody,tbody tr{display:block}
tbody tr{display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:.45rem 0;
border-bottom:1px solid var(--line)}
tbody th,tbody td{border:0;padding:0}tbody th,td.wide{flex-basis:100%}
td.number::before{content:attr(data-label) " ";color:var(--soft)}}
)css";

}  // namespace

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n"
      "</html>\n",
      escaped(title), kColours, kRules, body);
}

}  // namespace assay
