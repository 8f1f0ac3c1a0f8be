#include "src/campaign/waiver.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "src/core/dates.h"
#include "src/core/file.h"
#include "src/core/json_object.h"
#include "src/core/text.h"

namespace assay {
namespace {

Result<Waiver> read_waiver(const Json& entry, const std::string& where, const BatteryNames& names) {
  if (!entry.is_object()) {
    return make_error(fmt::format("{}: {} is no object", where, quoted(entry)));
  }
  JsonObject object(entry, "");
  Waiver waiver;
  const auto text = [&](const char* field, std::string& to) {
    object.require(field);
    object.read(field, to);
    if (entry.contains(field) && to.empty()) { object.fail(field, "is empty"); }
  };
  text("check", waiver.check);
  text("kernel", waiver.kernel);
  text("reason", waiver.reason);
  text("link", waiver.link);
  text("until", waiver.until);
  if (!waiver.check.empty() && !names.check(waiver.check)) {
    object.fail("check",
                fmt::format("{}; `assay list checks` has the names", unknown_check(waiver.check)));
  }
  if (!waiver.until.empty() && !is_date(waiver.until)) {
    object.fail("until", fmt::format("{} is no date YYYY-MM-DD", quote(waiver.until)));
  }
  if (const Status status = object.finish(); !status) {
    return make_error(fmt::format("{}: {}", where, status.error().message));
  }
  return waiver;
}

}  // namespace

std::string waiver_text(const Waiver& waiver) {
  constexpr std::size_t kLength = 200;
  return fmt::format("waived until {}: {} ({})", one_line(waiver.until, kLength),
                     one_line(waiver.reason, kLength), one_line(waiver.link, kLength));
}

std::vector<Waiver> waivers_of(const std::vector<Waiver>& waivers, std::string_view kernel) {
  std::vector<Waiver> own;
  std::copy_if(waivers.begin(), waivers.end(), std::back_inserter(own),
               [&](const Waiver& waiver) { return waiver.kernel == kernel; });
  return own;
}

Result<std::vector<Waiver>> parse_waivers(std::string_view text, std::string_view file,
                                          const BatteryNames& names) {
  const auto document = parse_json_object(text);
  if (!document) { return make_error(fmt::format("{}: {}", file, document.error().message)); }
  JsonObject object(*document, "");
  const Json* list = object.require("waivers");
  if (list && !list->is_array()) { object.fail("waivers", "is no array of waivers"); }
  if (const Status status = object.finish(); !status) {
    return make_error(fmt::format("{}: {}", file, status.error().message));
  }
  std::vector<Waiver> waivers;
  for (const Json& entry : *list) {
    auto waiver = read_waiver(entry, fmt::format("{}: waiver {}", file, waivers.size() + 1), names);
    ASSAY_TRY(waiver);
    const auto same = [&](const Waiver& other) {
      return other.check == waiver->check && other.kernel == waiver->kernel;
    };
    if (std::any_of(waivers.begin(), waivers.end(), same)) {
      return make_error(fmt::format("{}: waiver {}: check {} of kernel {} is waived already", file,
                                    waivers.size() + 1, quote(waiver->check),
                                    quote(waiver->kernel)));
    }
    waivers.push_back(std::move(*waiver));
  }
  return waivers;
}

Result<std::vector<Waiver>> load_waivers(const std::string& file, const BatteryNames& names) {
  const auto text = read_file(file);
  ASSAY_TRY(text);
  return parse_waivers(*text, file, names);
}

}  // namespace assay
