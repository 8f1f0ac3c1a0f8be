// The section of a run's report that names the code that ran.
#include <fmt/format.h>

#include "src/core/text.h"
#include "src/report/html.h"
#include "src/report/sections.h"

namespace assay {

std::string code_section(const ReportedRun& run) {
  const CodeList& code = run.result.run.code;
  if (code.rows.empty()) { return ""; }
  std::vector<std::vector<std::string>> rows;
  for (const CodeRow& row : code.rows) {
    std::string name = escaped(one_line(row.name, kNameLength));
    if (!row.version.empty()) { name += " " + escaped(one_line(row.version, kNameLength)); }
    if (row.files != 1) { name += fmt::format("<small>{} files</small>", row.files); }
    const bool digest = !row.sha256.empty();
    rows.push_back({name, std::string(code_kinds()[static_cast<std::size_t>(row.kind)]),
                    fmt::format("{} <code>{}</code>", digest ? "SHA-256" : "build id",
                                digest ? row.sha256 : row.build_id)});
  }
  return "<section><h2>Code that ran</h2>\n<details><summary>" + escaped(code_sentence(code)) +
         "</summary>" +
         html_table(
             "What the kernel's process had loaded; a certificate holds for this code. The digest "
             "of a package is over the digests of its files that were loaded.",
             {{"File"}, {"Kind"}, {"Digest", false, true}}, rows) +
         "</details></section>\n";
}

}  // namespace assay
