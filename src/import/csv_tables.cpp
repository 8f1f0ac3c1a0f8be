// Number tables of CSV: rows of numbers, an expert a line, or the columns of a recording.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "src/core/csv.h"
#include "src/core/text.h"
#include "src/import/number_tables.h"
#include "src/problem/recorded.h"

namespace assay {
namespace {

struct CsvLine {
  Index number = 0;
  std::vector<std::string> fields{};
};

bool has_letters(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
}

char separator_of(std::string_view line) {
  for (const char separator : {',', ';', '\t'}) {
    if (line.find(separator) != std::string_view::npos) { return separator; }
  }
  return line.find(' ') == std::string_view::npos ? ',' : ' ';
}

// Fields in their order; a last separator ends the line, and blanks are one separator.
std::vector<std::string> fields_of(std::string_view line, char separator) {
  std::vector<std::string> texts;
  for (CsvField& field : csv_fields(line, separator)) { texts.push_back(std::move(field.text)); }
  if (separator == ' ') { std::erase(texts, ""); }
  if (texts.size() > 1 && texts.back().empty()) { texts.pop_back(); }
  return texts;
}

std::vector<CsvLine> lines_of(std::string_view text) {
  std::vector<CsvLine> lines;
  std::optional<char> separator;
  for (Index number = 1; !text.empty(); ++number) {
    const std::string_view line = trim(take_line(text));
    if (line.empty() || line.front() == '#') { continue; }
    if (!separator) { separator = separator_of(line); }
    lines.push_back({number, fields_of(line, *separator)});
  }
  return lines;
}

Result<NumberTables> tables_of_numbers(const ImportSource& source, std::vector<CsvLine> lines,
                                       Meaning meaning, std::size_t first_column) {
  NumberBlock block{.rows = {}, .where = "", .meaning = meaning};
  Index cells = 0;
  for (const CsvLine& line : lines) {
    NumberRow row{{}, fmt::format("line {}", line.number)};
    for (std::size_t i = first_column; i < line.fields.size(); ++i) {
      const auto value = signed_number(line.fields[i]);
      if (!value) {
        return source.refuse(line.number, quote(line.fields[i]) + " is not a whole number");
      }
      row.values.push_back(*value);
    }
    if (row.values.empty()) { return source.refuse(line.number, "no number in it"); }
    cells += static_cast<Index>(row.values.size());
    if (cells > kMostImportedCounts) {
      return source.refuse(line.number, fmt::format("more than {} numbers", kMostImportedCounts));
    }
    block.rows.push_back(std::move(row));
  }
  NumberTables tables;
  tables.blocks.push_back(std::move(block));
  return tables;
}

// Which columns of `step, layer, expert, count` a header has.
struct LongHeader {
  std::optional<std::size_t> expert{}, count{};
  std::vector<std::size_t> group{};
};

LongHeader long_header(const CsvLine& header) {
  LongHeader columns;
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    const std::string plain = plain_word(header.fields[i]);
    if (plain == "expert" || plain == "expertid" || plain == "expertidx") {
      columns.expert = i;
    } else if (plain == "count" || plain == "tokens" || meaning_of_name(plain) == Meaning::kLoads) {
      columns.count = i;
    } else {
      columns.group.push_back(i);
    }
  }
  return columns;
}

Result<NumberTables> tables_of_records(const ImportSource& source,
                                       const std::vector<CsvLine>& lines,
                                       const LongHeader& columns) {
  ExpertCounts counts;
  const CsvLine& header = lines.front();
  for (const CsvLine& line : lines) {
    if (&line == &header) { continue; }
    if (line.fields.size() != header.fields.size()) {
      return source.refuse(line.number, fmt::format("{} values, the header has {}",
                                                    line.fields.size(), header.fields.size()));
    }
    std::string group;
    for (const std::size_t i : columns.group) {
      group += fmt::format("{}{} {}", group.empty() ? "" : " ", header.fields[i], line.fields[i]);
    }
    const auto expert = expert_number(line.fields[*columns.expert]);
    const auto count = signed_number(line.fields[*columns.count]);
    if (!expert) {
      return source.refuse(line.number, quote(line.fields[*columns.expert]) + " is no expert");
    }
    if (!count || *count < 0) {
      return source.refuse(line.number, quote(line.fields[*columns.count]) + " is not a count");
    }
    if (const Status added = counts.add(group, *expert, *count); !added) {
      return source.refuse(line.number, added.error().message);
    }
  }
  return NumberTables{.blocks = counts.blocks(), .notes = {}};
}

// `token,topk_0,topk_1`: how many columns come before the ids; nothing for other headers.
std::optional<std::size_t> columns_before_ids(const CsvLine& header) {
  std::size_t before = 0, ids = 0;
  for (const std::string& field : header.fields) {
    std::string stem = plain_word(field);
    stem.erase(stem.find_last_not_of("0123456789") + 1);
    if (stem == "topk" || stem == "id" || stem == "topkid" || stem == "choice" || stem == "slot" ||
        meaning_of_name(stem) == Meaning::kIds) {
      ++ids;
    } else if (ids == 0 && (stem == "token" || stem == "tokenid" || stem.empty())) {
      ++before;
    } else {
      return std::nullopt;
    }
  }
  return ids > 0 ? std::optional(before) : std::nullopt;
}

}  // namespace

Result<NumberTables> read_csv_tables(const ImportSource& source) {
  std::vector<CsvLine> lines = lines_of(source.text);
  if (lines.empty()) { return source.refuse(0, "no line of numbers"); }
  const CsvLine header = lines.front();
  const bool named = std::ranges::any_of(header.fields, has_letters);
  if (!named) { return tables_of_numbers(source, std::move(lines), Meaning::kUnknown, 0); }
  if (const auto before = columns_before_ids(header)) {
    lines.erase(lines.begin());
    return tables_of_numbers(source, std::move(lines), Meaning::kIds, *before);
  }
  const LongHeader columns = long_header(header);
  if (columns.expert && columns.count) { return tables_of_records(source, lines, columns); }
  const auto steps = parse_recording(std::string(source.text), source.file);
  ASSAY_TRY(steps);
  NumberTables tables;
  for (const RecordedStep& step : *steps) {
    const std::string where = fmt::format("step {} layer {}", step.step, step.layer);
    tables.blocks.push_back(
        {.rows = {{step.rows, where}}, .where = where, .meaning = Meaning::kLoads});
  }
  return tables;
}

}  // namespace assay
