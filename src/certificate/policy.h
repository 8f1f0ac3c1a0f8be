// Policy: what a deployment demands of a certificate beyond that it holds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/error.h"
#include "src/core/index.h"

namespace assay {

// A JSON object; a field that is left out demands nothing.
struct Policy {
  std::string file{};
  std::string profile{}, device{}, gpu{}, kernel{};  // each must be equal
  bool waivers_allowed = false;                      // "waivers": "none" | "any"
  bool signature_required = false;                   // "signed": true
  std::optional<double> max_error_over_bound{};      // of every check
  std::optional<Index> max_age_days{};
  std::optional<Index> min_cases{};
  std::string expires{};              // YYYY-MM-DD: the policy's own last day
  std::vector<std::string> checks{};  // each must be listed as PASSED
};

// Errors: `file: ` with the field and what is allowed there.
Result<Policy> parse_policy(std::string_view text, const std::string& file);
Result<Policy> load_policy(const std::string& file);

}  // namespace assay
