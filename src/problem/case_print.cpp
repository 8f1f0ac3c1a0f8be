#include "src/problem/case_text.h"
#include "src/problem/case_words.h"

namespace assay {
namespace {

// The defaults that depend on other keys, as parse_case fills them in.
CaseSpec defaults_of(const CaseSpec& spec) {
  CaseSpec defaults;
  // Where there is none it is printed: no output has int8.
  defaults.out = default_output(spec.in).value_or(Format::kInt8);
  defaults.told = spec.offsets;
  return defaults;
}

void append_word(std::string& text, std::string_view key, std::string_view value) {
  if (!text.empty()) { text += ' '; }
  ((text += key) += '=') += value;
}

}  // namespace

std::string canonical_text(const CaseSpec& spec) {
  const CaseSpec defaults = defaults_of(spec);
  std::string text;
  for (const CaseWord& word : case_words()) {
    const std::string value = word.print(spec);
    if (word.only_if_set && value == word.print(defaults)) { continue; }
    append_word(text, word.key, value);
  }
  return text;
}

std::string short_text(const CaseSpec& spec) {
  const CaseSpec defaults = defaults_of(spec);
  std::string text;
  for (const CaseWord& word : case_words()) {
    if (word.read == nullptr) {
      append_word(text, word.key, rows_text(spec.rows));
      continue;
    }
    const std::string value = word.print(spec);
    if (word.required || value != word.print(defaults)) { append_word(text, word.key, value); }
  }
  return text;
}

std::string plain_rows_text(const std::vector<Index>& rows) {
  std::string text;
  for (const Index count : rows) {
    if (!text.empty()) { text += ','; }
    text += std::to_string(count);
  }
  return text;
}

std::string rows_text(const std::vector<Index>& rows) {
  constexpr std::size_t kShortestRun = 3;
  std::string text;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i;
    while (end < rows.size() && rows[end] == rows[i]) { ++end; }
    if (end - i < kShortestRun) { end = i + 1; }
    if (i > 0) { text += ','; }
    text += std::to_string(rows[i]);
    if (end - i > 1) { text += '*' + std::to_string(end - i); }
    i = end;
  }
  return text;
}

}  // namespace assay
