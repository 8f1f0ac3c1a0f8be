#include "src/certify/report_json.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "src/certify/record/code_json.h"
#include "src/certify/record/domain_json.h"
#include "src/certify/record/finding_json.h"

namespace assay {
namespace {

Json kinds_json(const std::array<Index, kVerdictKinds>& kinds) {
  Json json = Json::object();
  for (int kind = 0; kind < kVerdictKinds; ++kind)
    if (kinds[static_cast<std::size_t>(kind)] > 0)
      json[std::string(name(static_cast<VerdictKind>(kind)))] =
          kinds[static_cast<std::size_t>(kind)];
  return json;
}

Json measured_json(const CheckTally& check, const std::string& worst_case) {
  if (check.measured.cases == 0) return nullptr;
  return {{"unit", check.check->measures->unit},
          {"cases", check.measured.cases},
          {"median", number_json(check.measured.median)},
          {"worst", number_json(check.measured.worst)},
          {"case", worst_case}};
}

Json check_json(const CheckTally& check, const std::string& worst_case) {
  Json json{{"check", check.check->name},
            {"sentence", check.check->sentence},
            {"verdict", name(check.verdict)},
            {"reason", check.reason},
            {"drawn", check.drawn},
            {"cases", check.cases},
            {"runs", check.runs},
            {"leftOut", check.left_out},
            {"verdicts", kinds_json(check.kinds)},
            {"seconds", check.seconds}};
  json["worst"] = worst_case.empty() ? Json(nullptr)
                                     : Json{{"errorOverBound", number_json(check.worst_ratio)},
                                            {"case", worst_case}};
  return json;
}

Json gpu_json(const Environment& environment) {
  if (environment.gpu.empty()) return nullptr;
  return {{"name", environment.gpu},
          {"computeCapability", environment.compute_capability},
          {"driver", environment.driver},
          {"runtimeCuda", environment.cuda_runtime}};
}

// A device or a pipe: written to, never replaced by a file.
bool is_stream(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error) &&
         !std::filesystem::is_directory(path, error);
}

// `-`, or what stdout goes to by another name: in its place a file would hide the rest.
bool is_stdout(const std::string& path) {
  struct stat named {
  }, open{};
  return path == "-" || (::stat(path.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &open) == 0 &&
                         named.st_dev == open.st_dev && named.st_ino == open.st_ino);
}

// The file itself: links to it stay.
std::string target_of(const std::string& path) {
  std::error_code error;
  const auto target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

std::string temporary_of(const std::string& path) {
  return fmt::format("{}.{}.part", path, ::getpid());
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
  json["domain"] = domain_json(run.tally.domain);
  add_code(run.code, json);
  json["checks"] = Json::array();
  for (std::size_t row = 0; row < run.tally.checks.size(); ++row)
    json["checks"].push_back(check_json(run.tally.checks[row], run.worst_cases[row]));
  for (std::size_t row = 0; row < run.tally.checks.size(); ++row)
    json["checks"][row]["measured"] =
        measured_json(run.tally.checks[row], run.worst_measured_cases[row]);
  json["findings"] = Json::array();
  for (const Finding& finding : certification.findings)
    json["findings"].push_back(finding_json(finding));
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string tile_map_json(const TileMap& map) { return tiles_json(map).dump(2) + "\n"; }

Status write_report(const std::string& path, const std::string& text) {
  if (is_stdout(path)) {
    const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    return whole && std::fflush(stdout) == 0 ? Status{}
                                             : refuse("cannot write the report to stdout");
  }
  const std::string target = target_of(path);
  const bool in_place = is_stream(path);
  const std::string temporary = in_place ? target : temporary_of(target);
  std::ofstream stream(temporary, std::ios::binary);
  stream << text;
  stream.close();
  if (stream && (in_place || std::rename(temporary.c_str(), target.c_str()) == 0)) return {};
  const std::string reason = std::strerror(errno);
  if (!in_place) std::remove(temporary.c_str());
  return refuse(fmt::format("cannot write '{}': {}", path, reason));
}

Status make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && ::access(path.c_str(), W_OK) == 0) return {};
  return refuse(fmt::format("cannot write into the folder '{}': {}", path,
                            error ? error.message() : "no permission"));
}

Status can_write_report(const std::string& path) {
  if (is_stdout(path)) return {};
  std::error_code error;
  if (path.empty() || std::filesystem::is_directory(path, error))
    return refuse(fmt::format("cannot write '{}': expected a file or -", path));
  if (is_stream(path)) {
    if (::access(path.c_str(), W_OK) == 0) return {};
    return refuse(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
  }
  const std::string temporary = temporary_of(target_of(path));
  std::ofstream stream(temporary, std::ios::binary);
  const bool open = stream.is_open();
  const std::string reason = std::strerror(errno);
  stream.close();
  if (!open) return refuse(fmt::format("cannot write '{}': {}", path, reason));
  std::remove(temporary.c_str());
  return {};
}

}  // namespace assay
