// The words of a case, one row a key: how its value is read and printed. case_text.cpp and
// case_print.cpp walk this table; a new key needs one row.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/core/error.h"
#include "src/problem/case_spec.h"

namespace assay {

struct CaseWord {
  std::string_view key;
  std::string_view forms;  // allowed values, for messages
  bool required;
  // Errors: why the value is refused, without word and forms. Null for rows, which needs the seed.
  Status (*read)(CaseSpec& spec, std::string_view value);
  std::string (*print)(const CaseSpec& spec);
  bool only_if_set = false;  // younger than records that lack it: printed where not the default
};

// In the order of printing.
std::span<const CaseWord> case_words();

std::string plain_rows_text(const std::vector<Index>& rows);  // every count, no run lengths

}  // namespace assay
