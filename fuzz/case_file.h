// A file that holds one case: a line of case text, and lines that begin with # for people.
#pragma once

#include <string>
#include <string_view>

#include "src/core/error.h"
#include "src/problem/case_spec.h"

namespace assay {

// Errors: no case line, more than one, or one that parse_case refuses.
Result<CaseSpec> parse_case_file(std::string_view text);

// `notes` becomes comment lines, one a line of it.
std::string case_file_text(const CaseSpec& spec, std::string_view notes);

}  // namespace assay
