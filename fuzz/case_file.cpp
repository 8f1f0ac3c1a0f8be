#include "fuzz/case_file.h"

#include <algorithm>
#include <vector>

#include "src/core/text.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Result<CaseSpec> parse_case_file(std::string_view text) {
  std::string_view line;
  for (const std::string_view candidate : lines_of(text)) {
    const std::string_view words = trim(candidate);
    if (words.empty() || words.front() == '#') { continue; }
    if (!line.empty()) { return make_error(quote(words) + " is a second case: a file holds one"); }
    line = words;
  }
  if (line.empty()) {
    return make_error("no case line: a file holds one case, as pass=fwd k=8 n=8 rows=3");
  }
  return parse_case(line);
}

std::string case_words_note(const CaseSpec& spec) {
  std::string text = std::string(name(spec.pass)) + '_' + name(spec.offsets) + '_' +
                     formats_text(spec.in, '_') + '_' + std::string(name(spec.out)) + '_' +
                     std::string(name(spec.fill));
  const auto add = [&](bool is_there, std::string_view word) {
    if (is_there) { text += '_' + std::string(word); }
  };
  const PerOperand<Index> none;
  add(spec.rows.front() == 0, "empty_first");
  add(spec.experts() > 8, "many_experts");
  add(spec.acc > 0, "acc");
  add(spec.bias.has_value(), "bias");
  add(spec.pad > 1, "pad");
  add(spec.cap > 0, "cap");
  add(spec.tail > 0, "tail");
  add(spec.ld != none, "ld");
  add(spec.wpitch > 0, "wpitch");
  add(spec.base != none, "base");
  add(spec.scale_pitch > 0, "scale_pitch");
  add(spec.scale_layout != ScaleLayout::kStrided, name(spec.scale_layout));
  add(spec.scale_starts != ScaleStarts::kCompact, "aligned_scales");
  add(spec.pointers != Pointers::kInOrder, name(spec.pointers));
  add(spec.told != spec.offsets, "told");
  const bool of_rows = spec.tactic.starts_with("rows") && spec.tactic.size() < 8;
  add(spec.tactic != "default", of_rows ? spec.tactic : "tactic");
  return text;
}

std::string case_file_text(const CaseSpec& spec, std::string_view notes) {
  std::string text;
  for (const std::string_view line : lines_of(notes)) { text += "# " + std::string(line) + '\n'; }
  return text + short_text(spec) + '\n';
}

}  // namespace assay
