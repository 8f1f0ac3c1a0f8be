#include "src/campaign/waiver.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "src/core/dates.h"
#include "src/core/file.h"
#include "src/core/json_fields.h"
#include "src/core/text.h"

namespace assay {

void fields(JsonFields& json, Waiver& waiver) {
  for (const auto& [field, text] : {std::pair{"check", &waiver.check},
                                    {"kernel", &waiver.kernel},
                                    {"reason", &waiver.reason},
                                    {"link", &waiver.link},
                                    {"until", &waiver.until}}) {
    json(field, *text);
    if (text->empty()) { json.fail(field, "is empty"); }
  }
  if (!is_date(waiver.until)) {
    json.fail("until", quote(waiver.until) + " is not a date YYYY-MM-DD");
  }
}

namespace {

// What a file may not hold, though each of its waivers may be.
Status names_and_repeats(const std::vector<Waiver>& waivers, const Registry& names) {
  for (auto waiver = waivers.begin(); waiver != waivers.end(); ++waiver) {
    if (!names.check(waiver->check)) {
      return make_error(
          fmt::format("{}; `assay list checks` has the names", unknown_check(waiver->check)));
    }
    const auto same = [&](const Waiver& other) {
      return other.check == waiver->check && other.kernel == waiver->kernel;
    };
    if (std::any_of(waivers.begin(), waiver, same)) {
      return make_error(fmt::format("check {} of kernel {} is waived already", quote(waiver->check),
                                    quote(waiver->kernel)));
    }
  }
  return {};
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
                                          const Registry& names) {
  std::vector<Waiver> waivers;
  ASSAY_TRY(parse_fields(text, file, [&](JsonFields& json) { json("waivers", waivers); }));
  if (const Status status = names_and_repeats(waivers, names); !status) {
    return make_error(fmt::format("{}: {}", file, status.error().message));
  }
  return waivers;
}

Result<std::vector<Waiver>> load_waivers(const std::string& file, const Registry& names) {
  const auto text = read_file(file);
  ASSAY_TRY(text);
  return parse_waivers(*text, file, names);
}

}  // namespace assay
