// The registry of checks: those of the files in properties/checks, in the order that they name.
#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

#include "properties/check.h"
#include "src/core/text.h"

namespace assay {

std::vector<Check> listed_checks();  // in no order; properties/CMakeLists.txt writes it

std::span<const Check> all_checks() {
  static const std::vector<Check> checks = [] {
    std::vector<Check> list = listed_checks();
    std::ranges::sort(list, {}, [](const Check& one) { return std::tuple(one.order, one.name); });
    return list;
  }();
  return checks;
}

const Check* find_check(std::string_view name) {
  const auto checks = all_checks();
  const auto found = std::ranges::find(checks, name, &Check::name);
  return found == checks.end() ? nullptr : &*found;
}

std::string unknown_check(std::string_view name) {
  struct Renamed {
    std::string_view was, is;
  };
  constexpr Renamed kRenamed[] = {{"not_slower_than_the_loop", "time_over_the_loop"},
                                  {"no_silent_slow_path", "time_over_the_aligned_case"}};
  const auto* const found = std::ranges::find(kRenamed, name, &Renamed::was);
  return found == std::end(kRenamed)
             ? "unknown check " + quote(name)
             : "check " + quote(name) + " is called " + std::string(found->is) + " now";
}

std::string_view name(VerdictKind kind) {
  constexpr std::string_view kNames[] = {"Passed",        "Failed", "Unsupported",
                                         "Crashed",       "Hung",   "Inconclusive",
                                         "NotApplicable", "NotRun", "Measured"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace assay
