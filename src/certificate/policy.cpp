#include "src/certificate/policy.h"

#include <limits>

#include <fmt/format.h>

#include "src/core/dates.h"
#include "src/core/file.h"
#include "src/core/json_object.h"
#include "src/core/text.h"

namespace assay {
namespace {

void read_count(JsonObject& object, const char* field, std::optional<Index>& to) {
  Index value = -1;
  object.read_index(field, 0, std::numeric_limits<Index>::max(), value);
  if (value >= 0) { to = value; }
}

}  // namespace

Result<Policy> parse_policy(std::string_view text, const std::string& file) {
  const auto in_file = [&](const Error& error) { return make_error(file + ": " + error.message); };
  const auto json = parse_json_object(text);
  if (!json) { return in_file(json.error()); }
  JsonObject object(*json, "");
  Policy policy{.file = file};
  object.read("profile", policy.profile);
  object.read_word("device", {"cpu", "cuda"});
  object.read("device", policy.device);
  object.read("gpu", policy.gpu);
  object.read("kernel", policy.kernel);
  policy.waivers_allowed = object.read_word("waivers", {"none", "any"}) == 1;
  object.read("signed", policy.signature_required);
  if (const Json* limit = object.find("maxErrorOverBound")) {
    if (limit->is_number() && limit->get<double>() >= 0) {
      policy.max_error_over_bound = limit->get<double>();
    } else {
      object.fail("maxErrorOverBound", quoted(*limit) + " is not a number from 0");
    }
  }
  read_count(object, "maxAgeDays", policy.max_age_days);
  read_count(object, "minCases", policy.min_cases);
  object.read("expires", policy.expires);
  if (json->contains("expires") && !is_date(policy.expires)) {
    object.fail("expires", quote(policy.expires) + " is not a date YYYY-MM-DD");
  }
  object.read_words("checks", object.find("checks"), "names of checks",
                    [&](const std::string& word) {
                      policy.checks.push_back(word);
                      return !word.empty();
                    });
  if (const Status status = object.finish(); !status) { return in_file(status.error()); }
  return policy;
}

Result<Policy> load_policy(const std::string& file) {
  const auto text = read_file(file);
  ASSAY_TRY(text);
  return parse_policy(*text, file);
}

}  // namespace assay
