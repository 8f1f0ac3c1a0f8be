#include "src/certificate/defect_count.h"

#include <limits>

#include <fmt/format.h>

#include "src/core/file.h"

namespace assay {
namespace {

constexpr Index kMost = std::numeric_limits<Index>::max();

}  // namespace

std::string defect_count_json(const DefectCount& count) {
  return Json{{"profileSha256", count.profile_sha256},
              {"planted", count.planted},
              {"caught", count.caught}}
             .dump(2) +
         "\n";
}

Result<DefectCount> load_defect_count(const std::string& file, const Profile& profile) {
  const auto text = read_file(file);
  ASSAY_TRY(text);
  const auto json = parse_json_object(*text);
  if (!json) { return make_error(file + ": " + json.error().message); }
  JsonObject object(*json, "");
  DefectCount count;
  object.require("profileSha256");
  object.read("profileSha256", count.profile_sha256);
  object.require("planted");
  object.read_index("planted", 0, kMost, count.planted);
  object.require("caught");
  object.read_index("caught", 0, kMost, count.caught);
  if (const Status status = object.finish(); !status) {
    return make_error(file + ": " + status.error().message);
  }
  if (count.profile_sha256 != profile.sha256) {
    return make_error(fmt::format("{}: the selftest of a profile with SHA-256 {}, {} has {}", file,
                                  count.profile_sha256, profile.name, profile.sha256));
  }
  return count;
}

}  // namespace assay
