// The own predicate of a certificate, written and read.
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "src/certificate/certificate.h"
#include "src/core/digest.h"
#include "src/core/text.h"
#include "src/record/code_json.h"
#include "src/record/domain_json.h"
#include "src/record/finding_json.h"
#include "src/record/header_json.h"

namespace assay {
namespace {

constexpr Index kMost = std::numeric_limits<Index>::max();

Json digest_json(const std::string& sha256) { return {{"sha256", sha256}}; }

// SHA-256 in lower-case hexadecimal, in an object {"sha256": ...}.
void read_digest(JsonObject& outer, const char* field, std::string& to) {
  const Json* value = outer.require(field);
  if (!value) { return; }
  const bool fits = value->is_object() && value->size() == 1 && value->contains("sha256") &&
                    (*value)["sha256"].is_string();
  if (fits) { to = (*value)["sha256"].get<std::string>(); }
  if (!is_sha256(to)) {
    outer.fail(field, quoted(*value) + " is no {\"sha256\": 64 lower-case hexadecimal digits}");
  }
}

// Every item of an array, each an object.
template <class Read>
void read_items(JsonObject& outer, const char* field, const Read& read) {
  const Json* value = outer.require(field);
  if (!value) { return; }
  if (!value->is_array()) { return outer.fail(field, quoted(*value) + " is no array"); }
  for (const Json& item : *value) {
    if (!item.is_object()) { return outer.fail(field, quoted(item) + " is no object"); }
    if (const Status status = read(item); !status) { outer.fail(field, status.error().message); }
  }
}

void require_texts(JsonObject& object, const char* field, std::vector<std::string>& to) {
  object.require(field);
  object.read_texts(field, to);
}

void require_text(JsonObject& object, const char* field, std::string& to) {
  object.require(field);
  object.read(field, to);
}

void require_count(JsonObject& object, const char* field, Index& to) {
  object.require(field);
  object.read_index(field, 0, kMost, to);
}

Json measure_json(const CertifiedMeasure& measured) {
  Json json{{"unit", measured.unit},
            {"cases", measured.cases},
            {"median", nullptr},
            {"worst", nullptr},
            {"case", measured.worst_case}};
  if (measured.cases == 0) { return json; }
  json["median"] = number_json(measured.median);
  json["worst"] = number_json(measured.worst);
  return json;
}

void read_measure(JsonObject& outer, std::optional<CertifiedMeasure>& to) {
  if (!outer.find("measured")) { return; }
  outer.read_object("measured", [&](const Json& json) {
    JsonObject object(json, "measured");
    CertifiedMeasure measured;
    require_text(object, "unit", measured.unit);
    require_count(object, "cases", measured.cases);
    for (const auto& [field, number] :
         {std::pair{"median", &measured.median}, {"worst", &measured.worst}}) {
      const Json* value = object.require(field);
      if (!value) { continue; }
      if (value->is_null() != (measured.cases == 0)) {
        object.fail(field, quoted(*value) + fmt::format(" of {} cases", measured.cases));
      } else if (measured.cases > 0) {
        object.read_number(field, *number);
      }
    }
    require_text(object, "case", measured.worst_case);
    to = measured;
    return object.finish();
  });
}

Json check_json(const CertifiedCheck& check) {
  Json json{{"check", check.name},
            {"status", check.status},
            {"reason", check.reason},
            {"drawn", check.drawn},
            {"cases", check.cases},
            {"runs", check.runs},
            {"unsupported", check.unsupported},
            {"inconclusive", check.inconclusive},
            {"seeds", check.seeds},
            {"worst", nullptr}};
  if (!check.worst_case.empty()) {
    json["worst"] = {{"errorOverBound", number_json(check.worst_ratio)},
                     {"case", check.worst_case}};
  }
  if (check.measured) { json["measured"] = measure_json(*check.measured); }
  return json;
}

Status read_check(const Json& json, CertifiedCheck& check) {
  JsonObject object(json, "");
  require_text(object, "check", check.name);
  object.require("status");
  object.read_word("status", {std::begin(kCheckStatuses), std::end(kCheckStatuses)});
  object.read("status", check.status);
  read_measure(object, check.measured);
  if (check.status == "MEASURED" && !(check.measured && check.measured->cases > 0)) {
    object.fail("status", "\"MEASURED\" without what was measured");
  }
  require_text(object, "reason", check.reason);
  require_count(object, "drawn", check.drawn);
  require_count(object, "cases", check.cases);
  require_count(object, "runs", check.runs);
  require_count(object, "unsupported", check.unsupported);
  require_count(object, "inconclusive", check.inconclusive);
  if (const Json* seeds = object.require("seeds")) {
    if (!seeds->is_array()) { return make_error("field 'seeds' is no array"); }
    for (const Json& seed : *seeds) {
      if (!seed.is_number_unsigned()) { return make_error(quoted(seed) + " is no seed"); }
      check.seeds.push_back(seed.get<std::uint64_t>());
    }
  }
  const Json* worst = object.require("worst");
  if (worst && worst->is_object()) {
    JsonObject inner(*worst, "worst");
    inner.require("errorOverBound");
    inner.read_number("errorOverBound", check.worst_ratio);
    require_text(inner, "case", check.worst_case);
    ASSAY_TRY(inner.finish());
  } else if (worst && !worst->is_null()) {
    object.fail("worst", quoted(*worst) + " is neither an object nor null");
  }
  return object.finish();
}

Json finding_part(const CertifiedFinding& finding) {
  Json json{{"check", finding.check},
            {"verdict", finding.verdict},
            {"reason", finding.reason},
            {"case", finding.line},
            {"originalCase", finding.original_line},
            {"hypothesis", finding.hypothesis},
            {"sentence", finding.sentence}};
  if (!finding.aspect.empty()) { json["aspect"] = finding.aspect; }
  if (finding.checks.size() > 1) { json["checks"] = finding.checks; }
  return json;
}

Status read_finding_part(const Json& json, CertifiedFinding& finding) {
  JsonObject object(json, "");
  require_text(object, "check", finding.check);
  object.require("verdict");
  object.read_word("verdict", {"Failed", "Crashed", "Hung"});
  object.read("verdict", finding.verdict);
  require_text(object, "reason", finding.reason);
  require_text(object, "case", finding.line);
  require_text(object, "originalCase", finding.original_line);
  require_text(object, "hypothesis", finding.hypothesis);
  require_text(object, "sentence", finding.sentence);
  std::vector<std::string_view> aspects;
  for (const Aspect aspect : all_aspects()) { aspects.push_back(name(aspect)); }
  if (object.read_word("aspect", aspects) >= 0) { object.read("aspect", finding.aspect); }
  object.read_texts("checks", finding.checks);
  if (finding.checks.empty()) { finding.checks = {finding.check}; }
  return object.finish();
}

Json defects_json(const std::optional<DefectCount>& defects) {
  if (!defects) { return nullptr; }
  return {{"profile", digest_json(defects->profile_sha256)},
          {"planted", defects->planted},
          {"caught", defects->caught}};
}

void read_defects(JsonObject& outer, std::optional<DefectCount>& to) {
  const Json* value = outer.require("defects");
  if (!value || value->is_null()) { return; }
  outer.read_object("defects", [&](const Json& json) {
    JsonObject object(json, "");
    DefectCount defects;
    read_digest(object, "profile", defects.profile_sha256);
    require_count(object, "planted", defects.planted);
    require_count(object, "caught", defects.caught);
    to = defects;
    return object.finish();
  });
}

void read_kernel(JsonObject& outer, Certificate& certificate) {
  outer.read_object("kernel", [&](const Json& json) {
    JsonObject object(json, "");
    require_text(object, "name", certificate.kernel_name);
    require_text(object, "device", certificate.device);
    if (const Json* manifest = object.require("manifest")) {
      certificate.manifest = *manifest;
      const auto parsed = parse_manifest(manifest->dump());
      if (!parsed) {
        object.fail("manifest", parsed.error().message);
      } else if (parsed->name != certificate.kernel_name) {
        object.fail("name", quote(certificate.kernel_name) + " is not the manifest's");
      } else if (parsed->device != certificate.device) {
        object.fail("device", quote(certificate.device) + " is not the manifest's");
      }
    }
    return object.finish();
  });
}

void read_profile_part(JsonObject& outer, Certificate& certificate) {
  outer.read_object("profile", [&](const Json& json) {
    JsonObject object(json, "");
    require_text(object, "name", certificate.profile_name);
    read_digest(object, "digest", certificate.profile_sha256);
    require_texts(object, "certifies", certificate.certifies);
    return object.finish();
  });
}

}  // namespace

Json predicate_json(const Certificate& certificate) {
  Json json{{"verdict", name(certificate.verdict)}, {"because", certificate.because}};
  json["profile"] = {{"name", certificate.profile_name},
                     {"digest", digest_json(certificate.profile_sha256)},
                     {"certifies", certificate.certifies}};
  json["artifactKind"] = certificate.artifact.is_file ? "file" : "sources";
  json["kernel"] = {{"name", certificate.kernel_name},
                    {"device", certificate.device},
                    {"manifest", certificate.manifest}};
  json["harness"] = harness_json(certificate.harness);
  json["environment"] = environment_json(certificate.environment);
  json["domain"] = domain_json(certificate.domain);
  json["checks"] = Json::array();
  for (const CertifiedCheck& check : certificate.checks) {
    json["checks"].push_back(check_json(check));
  }
  json["findings"] = Json::array();
  for (const CertifiedFinding& finding : certificate.findings) {
    json["findings"].push_back(finding_part(finding));
  }
  json["waivers"] = waivers_json(certificate.waivers);
  json["defects"] = defects_json(certificate.defects);
  json["evidence"] = Json::array();
  for (const EvidenceFile& file : certificate.evidence) {
    json["evidence"].push_back({{"name", file.name}, {"digest", digest_json(file.sha256)}});
  }
  add_code(certificate.code, json);
  json["runs"] = certificate.runs;
  json["seconds"] = certificate.seconds;
  json["threads"] = certificate.threads;
  json["startedAt"] = certificate.started_at;
  json["finishedAt"] = certificate.finished_at;
  return json;
}

Result<Certificate> read_predicate(const Json& json) {
  if (!json.is_object()) { return make_error("field 'predicate' is no object"); }
  JsonObject object(json, "predicate");
  Certificate certificate;
  object.require("verdict");
  if (const int at = object.read_word("verdict", {"PASSED", "WAIVED", "FAILED", "INCOMPLETE"});
      at >= 0) {
    certificate.verdict = static_cast<CertificateVerdict>(at);
  }
  require_texts(object, "because", certificate.because);
  read_profile_part(object, certificate);
  object.require("artifactKind");
  certificate.artifact.is_file = object.read_word("artifactKind", {"file", "sources"}) != 1;
  read_kernel(object, certificate);
  object.read_object("harness",
                     [&](const Json& part) { return read_harness(part, certificate.harness); });
  object.read_object("environment", [&](const Json& part) {
    return read_environment(part, certificate.environment);
  });
  if (const Json* domain = object.require("domain")) {
    auto read = read_domain(*domain);
    ASSAY_TRY(read);
    certificate.domain = std::move(*read);
  }
  read_items(object, "checks",
             [&](const Json& item) { return read_check(item, certificate.checks.emplace_back()); });
  read_items(object, "findings", [&](const Json& item) {
    return read_finding_part(item, certificate.findings.emplace_back());
  });
  if (const Json* waivers = object.require("waivers")) {
    if (const Status status = read_waiver_list(*waivers, certificate.waivers); !status) {
      object.fail("waivers", status.error().message);
    }
  }
  read_defects(object, certificate.defects);
  read_items(object, "evidence", [&](const Json& item) {
    JsonObject file(item, "evidence");
    EvidenceFile& to = certificate.evidence.emplace_back();
    require_text(file, "name", to.name);
    read_digest(file, "digest", to.sha256);
    return file.finish();
  });
  read_code(object, certificate.code);
  require_count(object, "runs", certificate.runs);
  object.require("seconds");
  object.read_number("seconds", certificate.seconds);
  require_count(object, "threads", certificate.threads);
  require_text(object, "startedAt", certificate.started_at);
  require_text(object, "finishedAt", certificate.finished_at);
  ASSAY_TRY(object.finish());
  return certificate;
}

}  // namespace assay
