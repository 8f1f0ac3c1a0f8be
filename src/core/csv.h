// Lines of text files, and the fields of a CSV file's lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/core/index.h"

namespace assay {

// Without the mark that some editors put before the first line of UTF-8.
std::string_view without_byte_order_mark(std::string_view text);

// The next line without its end, \n or \r\n; `rest` goes on behind it. Requires: a rest.
std::string_view take_line(std::string_view& rest);

struct CsvField {
  std::string text;
  Index column = 1;  // 1 for the first character of the line
};

// Trimmed. In double quotes a field may hold separators, and "" for a quote; one that is not closed
// keeps its first quote, so that no number is read from it. Never empty.
std::vector<CsvField> csv_fields(std::string_view line, char separator = ',');

}  // namespace assay
