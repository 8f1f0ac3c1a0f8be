#include "src/record/header_json.h"

#include <fmt/format.h>

#include "src/core/dates.h"
#include "src/core/digest.h"
#include "src/core/json_object.h"
#include "src/core/json_text.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr Index kMostCases = 20'000'000;  // a damaged digit must not ask for all memory

void artifact_of(JsonFields& json, Artifact& artifact) {
  json.lenient("name", artifact.name);
  if (!is_artifact_name(artifact.name)) {
    json.fail("name", quote(artifact.name) + " names no file");
  }
  artifact_kind(json, "kind", artifact);
  json("sha256", artifact.sha256);
  if (!artifact.sha256.empty() && !is_sha256(artifact.sha256)) {
    json.fail("sha256", quote(artifact.sha256) + " is not 64 lower-case hexadecimal digits");
  }
}

Result<ProfileLine> read_line(const Json& json) {
  const bool fits = json.is_array() && json.size() == 4 && json[0].is_string() &&
                    json[1].is_string() && json[2].is_number_unsigned() &&
                    json[3].is_number_unsigned();
  if (!fits) { return make_error(quoted(json) + " is not [check, generator, count, seed]"); }
  if (json[2].get<std::uint64_t>() > static_cast<std::uint64_t>(kMostCases)) {
    return make_error(quoted(json[2]) + " is too large a count");
  }
  return ProfileLine{json[0], json[1], json[2], json[3]};
}

void lines_of(JsonFields& json, Profile& profile) {
  json.raw(
      "lines",
      [&] {
        Json lines = Json::array();
        for (const ProfileLine& line : profile.lines) {
          lines.push_back({line.check, line.generator, line.count, line.seed});
        }
        return lines;
      },
      [&](const Json& lines) -> Status {
        if (!lines.is_array() || lines.empty()) { return make_error("is not an array of lines"); }
        Index cases = 0;
        for (const Json& item : lines) {
          auto line = read_line(item);
          ASSAY_TRY(line);
          cases += line->count;
          profile.lines.push_back(std::move(*line));
          if (cases > kMostCases) {
            return make_error(fmt::format("more than {} cases", kMostCases));
          }
        }
        return {};
      });
}

// The cases that the line of kGiven stands for.
void own_cases_of(JsonFields& json, Profile& profile) {
  std::vector<std::string> lines;
  for (const CaseSpec& spec : profile.own_cases) { lines.push_back(canonical_text(spec)); }
  json.sparse("cases", lines);
  if (!json.reads()) { return; }
  for (const std::string& line : lines) {
    auto spec = parse_case(line);
    if (!spec) { return json.fail("cases", spec.error().message); }
    profile.own_cases.push_back(std::move(*spec));
  }
  Index given = 0;
  for (const ProfileLine& line : profile.lines) {
    given += line.generator == kGiven ? line.count : 0;
  }
  if (given != static_cast<Index>(profile.own_cases.size())) {
    json.fail("cases",
              fmt::format("has {} cases, the lines ask for {}", profile.own_cases.size(), given));
  }
}

std::vector<std::string> certified_devices(const Profile& profile) {
  std::vector<std::string> devices;
  if (profile.certifies_cpu) { devices.emplace_back("cpu"); }
  if (profile.certifies_cuda) { devices.emplace_back("cuda"); }
  return devices;
}

void profile_of(JsonFields& json, Profile& profile) {
  json.lenient("name", profile.name);
  json("sha256", profile.sha256);
  json.lenient("device", profile.device);
  if (profile.device != "any" && profile.device != "cpu" && profile.device != "cuda") {
    json.fail("device", quote(profile.device) + " is none of any, cpu, cuda");
  }
  auto devices = certified_devices(profile);
  json("certifies", devices);
  for (const std::string& device : devices) {
    profile.certifies_cpu |= device == "cpu";
    profile.certifies_cuda |= device == "cuda";
  }
  if (devices != certified_devices(profile)) {
    json.fail("certifies", "is not an array of cpu, cuda");
  }
  lines_of(json, profile);
  own_cases_of(json, profile);
}

// The first name of a profile's lines that there is not, in words.
Status names_of(const Profile& profile, const Registry& names) {
  for (const ProfileLine& line : profile.lines) {
    if (!names.check(line.check)) {
      return make_error(unknown_check(line.check) + "; the record is of another version of assay");
    }
    if (!names.generator(line.generator) && line.generator != kGiven) {
      return make_error(quote(line.generator) + " is a generator of another version");
    }
  }
  return {};
}

// RFC 3339, UTC.
void time_field(JsonFields& json, const char* field, std::string& time) {
  json(field, time);
  if (!is_time(time)) {
    json.fail(field, quote(time) + " is not a time such as 2026-01-31T12:00:00Z");
  }
}

void manifest_of(JsonFields& json, Manifest& manifest) {
  json.raw(
      "manifest", [&] { return parse_json(manifest.declared); },
      [&](const Json& value) -> Status {
        auto read = parse_manifest(json_text(value));
        ASSAY_TRY(read);
        manifest = std::move(*read);
        return {};
      });
}

void shard_of(JsonFields& json, Shard& shard) {
  json.raw(
      "shard",
      [&] {
        return Json::array({shard.part, shard.parts});
      },
      [&](const Json& value) -> Status {
        const bool pair = value.is_array() && value.size() == 2 && value[0].is_number_unsigned() &&
                          value[1].is_number_unsigned();
        if (pair) { shard = {value[0], value[1]}; }
        if (pair && shard.part >= 1 && shard.part <= shard.parts) { return {}; }
        return make_error(quoted(value) + " is not [part, parts]");
      });
}

}  // namespace

void fields(JsonFields& json, Environment& environment) {
  json.lenient("system", environment.system);
  json.lenient("kernel", environment.kernel);
  json.lenient("cpu", environment.cpu);
  json.lenient("cores", environment.cores);
  json.lenient("gpu", environment.gpu);
  json.lenient("computeCapability", environment.compute_capability);
  json.lenient("driver", environment.driver);
  json.lenient("cudaRuntime", environment.cuda_runtime);
}

void fields(JsonFields& json, Harness& harness) {
  json("version", harness.version);
  json.lenient("compiler", harness.compiler);
  json.lenient("sha256", harness.sha256);
}

void artifact_kind(JsonFields& json, const char* field, Artifact& artifact) {
  json.word(field, artifact.is_file, {"sources", "file"});
}

void fields(JsonFields& json, RunHeader& header, const Registry& names) {
  int version = kRecordVersion;
  json("assayRun", version, Within{1, kRecordVersion});
  header.version = json.reads() ? version : header.version;
  json.lenient("kernel", header.kernel);
  json.sparse("mergedFrom", header.merged_from);
  json.object("artifact", [&](JsonFields& part) { artifact_of(part, header.artifact); });
  manifest_of(json, header.manifest);
  json.object("profile", [&](JsonFields& part) { profile_of(part, header.profile); });
  if (const Status known = names_of(header.profile, names); !known) {
    json.fail("profile", known.error().message);
  }
  json.lenient("seedShift", header.seed_shift);
  json.lenient("filter", header.filter);
  json.lenient("maxFindings", header.max_findings_per_check, Within{1});
  json.sparse("keepGoing", header.keep_going);
  shard_of(json, header.shard);
  json("waivers", header.waivers);
  json("harness", header.harness);
  json("environment", header.environment);
  time_field(json, "startedAt", header.started_at);
}

void fields(JsonFields& json, RunEnd& end) {
  time_field(json, "finishedAt", end.finished_at);
  json.lenient("seconds", end.seconds);
  json.lenient("threads", end.threads, Within{0, 1 << 20});
  json.lenient("cutShort", end.cut_short);
}

}  // namespace assay
