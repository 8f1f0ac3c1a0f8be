#include "src/core/csv.h"

#include <algorithm>

#include "src/core/text.h"

namespace assay {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Behind the quote that closes the one at `at`; npos where none does.
std::size_t past_quotes(std::string_view line, std::size_t at) {
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] != '"') { continue; }
    if (i + 1 == line.size() || line[i + 1] != '"') { return i + 1; }
    ++i;
  }
  return std::string_view::npos;
}

std::string unquoted(std::string_view field) {
  if (field.empty() || field.front() != '"' || past_quotes(field, 0) != field.size()) {
    return std::string(field);
  }
  std::string text;
  for (std::size_t i = 1; i + 1 < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"') { ++i; }
  }
  return std::string(trim(text));
}

}  // namespace

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) { text.remove_prefix(kByteOrderMark.size()); }
  return text;
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) { line.remove_suffix(1); }
  return line;
}

std::vector<CsvField> csv_fields(std::string_view line, char separator) {
  std::vector<CsvField> fields;
  std::size_t first = 0;
  while (true) {
    const std::size_t text = std::min(line.find_first_not_of(" \t", first), line.size());
    const bool quoted = text < line.size() && line[text] == '"';
    const std::size_t from = quoted ? past_quotes(line, text) : first;
    const std::size_t end =
        std::min(line.find(separator, std::min(from, line.size())), line.size());
    fields.push_back(
        {unquoted(trim(line.substr(first, end - first))), static_cast<Index>(first) + 1});
    if (end == line.size()) { return fields; }
    first = end + 1;
  }
}

}  // namespace assay
