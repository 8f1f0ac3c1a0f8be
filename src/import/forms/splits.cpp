// Lists of splits as programs and logs print them: `m_splits=[128, 0, 64]`, `tensor([ 3  0\n 5])`.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "src/core/csv.h"
#include "src/core/text.h"
#include "src/import/number_tables.h"
#include "src/problem/limits.h"

namespace assay {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whole words of letters, digits and _, where `k` is no part of `rank`.
std::size_t find_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return at;
    }
  }
  return std::string_view::npos;
}

// The number of `k=4096`, `k: 4096` on a line; 0 where there is none.
Index number_after(std::string_view line, std::string_view word) {
  const std::size_t at = find_word(line, word);
  if (at == std::string_view::npos) { return 0; }
  const std::string_view rest = line.substr(at + word.size());
  const std::size_t first = rest.find_first_not_of(" =:");
  if (first == std::string_view::npos || first == 0) { return 0; }
  const std::size_t end = std::min(rest.find_first_not_of("0123456789", first), rest.size());
  return parse_index(rest.substr(first, end - first)).value_or(0);
}

// The numbers between commas and blanks; nothing where there is anything else.
std::optional<std::vector<Index>> numbers_of(std::string_view text) {
  std::vector<Index> values;
  std::string words(text);
  std::ranges::replace(words, ',', ' ');
  for (const std::string_view word : split_words(words)) {
    const auto value = parse_index(word);
    if (!value || *value > kMaxRows) { return std::nullopt; }
    values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(std::move(values));
}

std::string_view line_at(std::string_view text, std::size_t at) {
  const std::size_t before = text.rfind('\n', at);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, std::min(text.find('\n', at), text.size()) - begin);
}

}  // namespace

bool fits_splits(const ImportSource& source) {
  if (!source.is_plain_text()) { return false; }
  for (const std::string_view word : {"m_splits", "M_splits", "tokens_per_expert", "group_sizes",
                                      "batch_sizes", "splits", "tensor("}) {
    if (source.text.find(word) != std::string_view::npos) {
      return source.text.find('[') != std::string_view::npos;
    }
  }
  return false;
}

Result<ReadForm> read_splits(const ImportSource& source, const ImportOptions&) {
  ReadForm read;
  Index line = 1, cells = 0, others = 0;
  std::size_t counted_to = 0;
  for (std::size_t at = source.text.find('['); at != std::string_view::npos;
       at = source.text.find('[', at + 1)) {
    line += std::count(source.text.begin() + static_cast<std::ptrdiff_t>(counted_to),
                       source.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    counted_to = at;
    const std::size_t end = source.text.find_first_of("[]", at + 1);
    if (end == std::string_view::npos || source.text[end] == '[') { continue; }
    auto rows = numbers_of(source.text.substr(at + 1, end - at - 1));
    if (!rows) {
      ++others;
      continue;
    }
    cells += static_cast<Index>(rows->size());
    if (cells > kMostImportedCounts) {
      return source.refuse(line, fmt::format("more than {} numbers", kMostImportedCounts));
    }
    const std::string_view words = line_at(source.text, at);
    read.routings.push_back({.rows = std::move(*rows),
                             .where = fmt::format("line {}", line),
                             .k = number_after(words, "k"),
                             .n = number_after(words, "n")});
  }
  if (others > 0) {
    read.notes.push_back(counted(others, "list") + " of other things than counts left out");
  }
  return read;
}

}  // namespace assay
