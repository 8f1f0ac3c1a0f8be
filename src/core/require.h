// ASSAY_REQUIRE: a broken invariant of our own. Always on; prints the values and aborts, so that a
// fuzzer and a core dump both see it. Never for bad input (that is core/error.h).
#pragma once

#include <sstream>
#include <string>

namespace assay {

[[noreturn]] void require_failed(const char* expression, const char* file, int line,
                                 const std::string& values);

template <class... Values>
std::string print_values(const Values&... values) {
  std::ostringstream text;
  ((text << ' ' << values), ...);
  return text.str();
}

}  // namespace assay

// ASSAY_REQUIRE(condition, values to print...)
#define ASSAY_REQUIRE(condition, ...)                                    \
  ((condition) ? static_cast<void>(0)                                    \
               : ::assay::require_failed(#condition, __FILE__, __LINE__, \
                                         ::assay::print_values(__VA_ARGS__)))
