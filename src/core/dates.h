// Dates and times of records, waivers, policies and certificates: UTC, in one spelling each.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay {

bool is_date(std::string_view text);  // YYYY-MM-DD, a day that exists
bool is_time(std::string_view text);  // 2026-01-31T12:00:00Z, on a day that exists

// Since 1970. Requires: is_time(time).
std::int64_t seconds_of_time(std::string_view time);
std::string_view date_of(std::string_view time);

}  // namespace assay
