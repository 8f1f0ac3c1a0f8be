// Waiver: a known failure that a run may have: the check still runs; that it passes after all, or
// that the date has passed, is a failure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/campaign/profile.h"
#include "src/core/error.h"

namespace assay {

class JsonFields;

struct Waiver {
  std::string check{};
  std::string kernel{};  // the name in its manifest
  std::string reason{};
  std::string link{};   // where the failure is tracked
  std::string until{};  // YYYY-MM-DD, the last day
  friend bool operator==(const Waiver&, const Waiver&) = default;
};
// Every field is required, and none may be empty.
void fields(JsonFields& json, Waiver& waiver);

// A file {"waivers": [{"check": ..., "kernel": ..., "reason": ..., "link": ..., "until": ...}]}.
// Errors: `file: ` with the entry, the field and what is expected there.
Result<std::vector<Waiver>> parse_waivers(std::string_view text, std::string_view file,
                                          const Registry& names);
Result<std::vector<Waiver>> load_waivers(const std::string& file, const Registry& names);

// `waived until 2027-01-31: NaN payloads are not kept (https://example.org/17)`, one line.
std::string waiver_text(const Waiver& waiver);

// Those of one kernel.
std::vector<Waiver> waivers_of(const std::vector<Waiver>& waivers, std::string_view kernel);

}  // namespace assay
