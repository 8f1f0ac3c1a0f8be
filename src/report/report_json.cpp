#include "src/report/report_json.h"

#include <fmt/format.h>

#include "src/core/json_object.h"
#include "src/core/json_text.h"
#include "src/record/code_json.h"
#include "src/record/domain_json.h"
#include "src/record/finding_json.h"

namespace assay {
namespace {

Json kinds_json(const std::array<Index, kVerdictKinds>& kinds) {
  Json json = Json::object();
  for (std::size_t kind = 0; kind < kVerdictKinds; ++kind) {
    if (kinds[kind] > 0) { json[std::string(name(static_cast<VerdictKind>(kind)))] = kinds[kind]; }
  }
  return json;
}

Json measured_json(const CheckTally& check, const std::string& worst_case) {
  if (check.measured.cases == 0) { return nullptr; }
  return {{"unit", check.check->measures->unit},
          {"cases", check.measured.cases},
          {"median", number_json(check.measured.median)},
          {"worst", number_json(check.measured.worst)},
          {"case", worst_case}};
}

Json check_json(const ProfileRun& run, std::size_t row) {
  const CheckTally& check = run.tally.checks[row];
  const std::string& worst_case = run.worst_cases[row];
  Json json{{"check", check.check->name},
            {"sentence", check.check->summary},
            {"verdict", name(check.verdict)},
            {"reason", check.reason},
            {"drawn", check.drawn},
            {"cases", check.cases},
            {"runs", check.runs},
            {"failedCases", check.failed_cases()},
            {"leftOut", check.left_out},
            {"verdicts", kinds_json(check.kinds)},
            {"seconds", check.seconds}};
  json["worst"] = worst_case.empty() ? Json(nullptr)
                                     : Json{{"errorOverBound", number_json(check.worst_ratio)},
                                            {"case", worst_case}};
  json["measured"] = measured_json(check, run.worst_measured_cases[row]);
  return json;
}

Json gpu_json(const Environment& environment) {
  if (environment.gpu.empty()) { return nullptr; }
  return {{"name", environment.gpu},
          {"computeCapability", environment.compute_capability},
          {"driver", environment.driver},
          {"runtimeCuda", environment.cuda_runtime}};
}

}  // namespace

std::string report_json(const Certification& certification, const Environment& environment) {
  const ProfileRun& run = certification.run;
  Json json{{"kernel", certification.kernel},
            {"kernelName", run.manifest.name},
            {"device", run.manifest.device},
            {"profile", certification.profile},
            {"verdict", name(run.tally.conclusion)},
            {"certified", certification.certified()},
            {"onProfile", run.whole_profile},
            {"incompleteBecause", run.tally.incomplete_because},
            {"seconds", run.seconds},
            {"threads", run.threads},
            {"runs", run.tally.runs},
            {"verdicts", kinds_json(run.tally.kinds)}};
  json["gpu"] = gpu_json(environment);
  json["domain"] = json_of(run.tally.domain);
  json.update(json_of(run.code));
  json["checks"] = Json::array();
  for (std::size_t row = 0; row < run.tally.checks.size(); ++row) {
    json["checks"].push_back(check_json(run, row));
  }
  json["findings"] = Json::array();
  for (const Finding& finding : certification.findings) {
    json["findings"].push_back(finding_json(finding));
  }
  return ascii_json_text(json, 2) + "\n";
}

std::string tile_map_json(const TileMap& map) { return json_text(json_of(map), 2) + "\n"; }

}  // namespace assay
