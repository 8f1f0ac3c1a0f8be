#include "src/certificate/defect_count.h"

#include <fmt/format.h>

#include "src/core/file.h"
#include "src/core/json_text.h"

namespace assay {
namespace {

// As `assay selftest --json` has it.
struct SelftestCount : DefectCount {};

void fields(JsonFields& json, SelftestCount& count) {
  json("profileSha256", count.profile_sha256);
  json("planted", count.planted);
  json("caught", count.caught);
}

}  // namespace

std::string defect_count_json(const DefectCount& count) {
  return json_text(json_of(SelftestCount{count}), 2) + "\n";
}

Result<DefectCount> load_defect_count(const std::string& file, const Profile& profile) {
  const auto text = read_file(file);
  ASSAY_TRY(text);
  SelftestCount count;
  ASSAY_TRY(parse_fields(*text, file, [&](JsonFields& json) { fields(json, count); }));
  if (count.profile_sha256 != profile.sha256) {
    return make_error(fmt::format("{}: the selftest of a profile with SHA-256 {}, {} has {}", file,
                                  count.profile_sha256, profile.name, profile.sha256));
  }
  return count;
}

}  // namespace assay
