#include "src/record/header_json.h"

#include <limits>

#include <fmt/format.h>

#include "src/core/dates.h"
#include "src/core/text.h"

namespace assay {
namespace {

constexpr Index kMost = std::numeric_limits<Index>::max();
constexpr Index kMostCases = 20'000'000;  // a damaged digit must not ask for all memory

Status read_artifact(const Json& json, Artifact& artifact) {
  JsonObject object(json, "");
  object.read("name", artifact.name);
  if (!is_artifact_name(artifact.name)) {
    object.fail("name", quote(artifact.name) + " names no file");
  }
  object.require("kind");
  artifact.is_file = object.read_word("kind", {"file", "sources"}) != 1;
  object.require("sha256");
  object.read("sha256", artifact.sha256);
  return object.finish();
}

Json profile_json(const Profile& profile) {
  Json certifies = Json::array(), lines = Json::array();
  if (profile.certifies_cpu) { certifies.push_back("cpu"); }
  if (profile.certifies_cuda) { certifies.push_back("cuda"); }
  for (const BatteryLine& line : profile.lines) {
    lines.push_back({line.check, line.generator, line.count, line.seed});
  }
  return {{"name", profile.name},
          {"sha256", profile.sha256},
          {"device", profile.device},
          {"certifies", certifies},
          {"lines", lines}};
}

Result<BatteryLine> read_line(const Json& json, const BatteryNames& names) {
  const bool fits = json.is_array() && json.size() == 4 && json[0].is_string() &&
                    json[1].is_string() && json[2].is_number_unsigned() &&
                    json[3].is_number_unsigned();
  if (!fits) { return make_error(quoted(json) + " is not [check, generator, count, seed]"); }
  if (json[2].get<std::uint64_t>() > static_cast<std::uint64_t>(kMostCases)) {
    return make_error(quoted(json[2]) + " is too large a count");
  }
  BatteryLine line{json[0], json[1], json[2], json[3]};
  if (!names.check(line.check)) {
    return make_error(unknown_check(line.check) + "; the record is of another version of assay");
  }
  if (!names.generator(line.generator)) {
    return make_error(quote(line.generator) + " is a generator of another version");
  }
  return line;
}

Status read_profile(const Json& json, const BatteryNames& names, Profile& profile) {
  JsonObject object(json, "");
  object.read("name", profile.name);
  object.require("sha256");
  object.read("sha256", profile.sha256);
  object.read_word("device", {"any", "cpu", "cuda"});
  object.read("device", profile.device);
  object.read_words("certifies", object.require("certifies"), "cpu, cuda",
                    [&](const std::string& word) {
                      profile.certifies_cpu |= word == "cpu";
                      profile.certifies_cuda |= word == "cuda";
                      return word == "cpu" || word == "cuda";
                    });
  const Json* lines = object.require("lines");
  if (lines && (!lines->is_array() || lines->empty())) {
    object.fail("lines", "is no array of lines");
  }
  ASSAY_TRY(object.finish());
  Index cases = 0;
  for (const Json& item : *lines) {
    auto line = read_line(item, names);
    ASSAY_TRY(line);
    profile.lines.push_back(std::move(*line));
    cases += profile.lines.back().count;
    if (cases > kMostCases) { return make_error(fmt::format("more than {} cases", kMostCases)); }
  }
  return {};
}

void read_shard(JsonObject& object, Shard& shard) {
  const Json* value = object.require("shard");
  if (!value) { return; }
  const bool pair = value->is_array() && value->size() == 2 && (*value)[0].is_number_unsigned() &&
                    (*value)[1].is_number_unsigned();
  if (pair) { shard = {(*value)[0], (*value)[1]}; }
  if (!pair || shard.part < 1 || shard.part > shard.parts) {
    object.fail("shard", quoted(*value) + " is not [part, parts]");
  }
}

Status read_one_waiver(const Json& json, Waiver& waiver) {
  if (!json.is_object()) { return make_error(quoted(json) + " is no waiver"); }
  JsonObject object(json, "");
  for (const auto& [field, to] : {std::pair{"check", &waiver.check},
                                  {"kernel", &waiver.kernel},
                                  {"reason", &waiver.reason},
                                  {"link", &waiver.link},
                                  {"until", &waiver.until}}) {
    object.require(field);
    object.read(field, *to);
  }
  if (!is_date(waiver.until)) {
    object.fail("until", quote(waiver.until) + " is no date YYYY-MM-DD");
  }
  return object.finish();
}

}  // namespace

Json environment_json(const Environment& environment) {
  return {{"system", environment.system}, {"kernel", environment.kernel},
          {"cpu", environment.cpu},       {"cores", environment.cores},
          {"gpu", environment.gpu},       {"computeCapability", environment.compute_capability},
          {"driver", environment.driver}, {"cudaRuntime", environment.cuda_runtime}};
}

Status read_environment(const Json& json, Environment& to) {
  JsonObject object(json, "");
  object.read("system", to.system);
  object.read("kernel", to.kernel);
  object.read("cpu", to.cpu);
  object.read_index("cores", 0, kMost, to.cores);
  object.read("gpu", to.gpu);
  object.read("computeCapability", to.compute_capability);
  object.read("driver", to.driver);
  object.read("cudaRuntime", to.cuda_runtime);
  return object.finish();
}

Json harness_json(const Harness& harness) {
  return {{"version", harness.version}, {"compiler", harness.compiler}, {"sha256", harness.sha256}};
}

Status read_harness(const Json& json, Harness& to) {
  JsonObject object(json, "");
  object.require("version");
  object.read("version", to.version);
  object.read("compiler", to.compiler);
  object.read("sha256", to.sha256);
  return object.finish();
}

Json waivers_json(const std::vector<Waiver>& waivers) {
  Json json = Json::array();
  for (const Waiver& waiver : waivers) {
    json.push_back({{"check", waiver.check},
                    {"kernel", waiver.kernel},
                    {"reason", waiver.reason},
                    {"link", waiver.link},
                    {"until", waiver.until}});
  }
  return json;
}

Status read_waiver_list(const Json& json, std::vector<Waiver>& to) {
  if (!json.is_array()) { return make_error(quoted(json) + " is no array of waivers"); }
  for (const Json& item : json) { ASSAY_TRY(read_one_waiver(item, to.emplace_back())); }
  return {};
}

Json header_json(const RunHeader& header) {
  Json json{{"assayRun", kRecordVersion}, {"kernel", header.kernel}};
  if (!header.merged_from.empty()) { json["mergedFrom"] = header.merged_from; }
  json["artifact"] = {{"name", header.artifact.name},
                      {"kind", header.artifact.is_file ? "file" : "sources"},
                      {"sha256", header.artifact.sha256}};
  json["manifest"] = Json::parse(header.manifest.declared);
  json["profile"] = profile_json(header.profile);
  json["seedShift"] = header.seed_shift;
  json["filter"] = header.filter;
  json["maxFindings"] = header.max_findings_per_check;
  if (header.keep_going) { json["keepGoing"] = true; }
  json["shard"] = {header.shard.part, header.shard.parts};
  json["waivers"] = waivers_json(header.waivers);
  json["harness"] = harness_json(header.harness);
  json["environment"] = environment_json(header.environment);
  json["startedAt"] = header.started_at;
  return json;
}

Result<RunHeader> read_header(const Json& json, const BatteryNames& names) {
  JsonObject object(json, "");
  RunHeader header;
  Index seed_shift = 0;
  if (!object.find("assayRun")) {
    return make_error("no run of assay: the first line is {\"assayRun\": 2, ...}");
  }
  object.read_int("assayRun", 1, std::numeric_limits<int>::max(), header.version);
  if (header.version > kRecordVersion) {
    return make_error(fmt::format("a run of version {}; this assay reads versions up to {}",
                                  header.version, kRecordVersion));
  }
  object.read_texts("mergedFrom", header.merged_from);
  object.read("kernel", header.kernel);
  object.read_object("artifact", [&](const Json& j) { return read_artifact(j, header.artifact); });
  object.read_object("manifest", [&](const Json& part) -> Status {
    auto manifest = parse_manifest(part.dump());
    ASSAY_TRY(manifest);
    header.manifest = std::move(*manifest);
    return {};
  });
  object.read_object("profile",
                     [&](const Json& part) { return read_profile(part, names, header.profile); });
  object.read_index("seedShift", 0, kMost, seed_shift);
  header.seed_shift = static_cast<std::uint64_t>(seed_shift);
  object.read("filter", header.filter);
  object.read_index("maxFindings", 1, kMost, header.max_findings_per_check);
  object.read("keepGoing", header.keep_going);
  read_shard(object, header.shard);
  if (const Json* waivers = object.require("waivers")) {
    if (const Status status = read_waiver_list(*waivers, header.waivers); !status) {
      object.fail("waivers", status.error().message);
    }
  }
  object.read_object("harness", [&](const Json& j) { return read_harness(j, header.harness); });
  object.read_object("environment",
                     [&](const Json& j) { return read_environment(j, header.environment); });
  object.require("startedAt");
  object.read("startedAt", header.started_at);
  if (!is_time(header.started_at)) {
    object.fail("startedAt", quote(header.started_at) + " is no time such as 2026-01-31T12:00:00Z");
  }
  ASSAY_TRY(object.finish());
  return header;
}

}  // namespace assay
