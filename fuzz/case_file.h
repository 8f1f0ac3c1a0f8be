// A file that holds one case: a line of case text, and lines that begin with # for people.
#pragma once

#include <string>
#include <string_view>

#include "src/core/error.h"
#include "src/problem/case_spec.h"

namespace assay {

// Errors: no case line, more than one, or one that parse_case refuses.
Result<CaseSpec> parse_case_file(std::string_view text);

// What is special about a case, for the name of its file: wgrad_starts_i64_normal_acc_tail.
std::string case_words_note(const CaseSpec& spec);

// `notes` becomes comment lines, one a line of it.
std::string case_file_text(const CaseSpec& spec, std::string_view notes);

}  // namespace assay
