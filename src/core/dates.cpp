#include "src/core/dates.h"

#include <chrono>

#include "src/core/text.h"

namespace assay {
namespace {

constexpr std::int64_t kSecondsOfDay = 24 * 60 * 60;

// Of a piece of digits alone; 0 for any other.
int number(std::string_view text, std::size_t at, std::size_t length) {
  return static_cast<int>(parse_index(text.substr(at, length)).value_or(0));
}

std::chrono::year_month_day day_in(std::string_view text) {
  return {std::chrono::year(number(text, 0, 4)),
          std::chrono::month(static_cast<unsigned>(number(text, 5, 2))),
          std::chrono::day(static_cast<unsigned>(number(text, 8, 2)))};
}

bool are_digits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool is_date(std::string_view text) {
  return text.size() == 10 && text[4] == '-' && text[7] == '-' && are_digits(text.substr(0, 4)) &&
         are_digits(text.substr(5, 2)) && are_digits(text.substr(8, 2)) && day_in(text).ok();
}

bool is_time(std::string_view text) {
  constexpr int kMostSeconds = 60;  // a leap second
  return text.size() == 20 && is_date(date_of(text)) && text[10] == 'T' && text[13] == ':' &&
         text[16] == ':' && text[19] == 'Z' && are_digits(text.substr(11, 2)) &&
         are_digits(text.substr(14, 2)) && are_digits(text.substr(17, 2)) &&
         number(text, 11, 2) < 24 && number(text, 14, 2) < 60 &&
         number(text, 17, 2) <= kMostSeconds;
}

std::int64_t seconds_of_time(std::string_view time) {
  const std::int64_t days = std::chrono::sys_days(day_in(time)).time_since_epoch().count();
  return days * kSecondsOfDay + (number(time, 11, 2) * 60 + number(time, 14, 2)) * 60 +
         number(time, 17, 2);
}

std::string_view date_of(std::string_view time) { return time.substr(0, 10); }

}  // namespace assay
