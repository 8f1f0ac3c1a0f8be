// Case lists: texts with one case a line, as `--cases FILE` takes them; blank lines and comments
// from a # on are for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/core/error.h"
#include "src/problem/case_spec.h"

namespace assay {

// All of them are in the first line of a run's record.
inline constexpr Index kMostOwnCases = 100'000;

// The line up to a # that begins it or follows a blank.
std::string_view without_comment(std::string_view line);

// Errors: `file:line: ` and what is wrong; no case at all; more than kMostOwnCases.
Result<std::vector<CaseSpec>> parse_case_list(std::string_view text, std::string_view file);
// `-` is stdin.
Result<std::vector<CaseSpec>> load_case_list(const std::string& file);

}  // namespace assay
