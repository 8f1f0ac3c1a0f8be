// The own predicate of a certificate, written and read.
#include <fmt/format.h>

#include "src/certificate/certificate.h"
#include "src/core/digest.h"
#include "src/core/json_object.h"
#include "src/core/json_text.h"
#include "src/core/text.h"
#include "src/record/code_json.h"
#include "src/record/domain_json.h"
#include "src/record/finding_json.h"
#include "src/record/header_json.h"

namespace assay {
namespace {

void digest_field(JsonFields& json, const char* field, std::string& sha256) {
  json.object(field, [&](JsonFields& inner) {
    inner("sha256", sha256);
    if (!is_sha256(sha256)) {
      inner.fail("sha256", quote(sha256) + " is not 64 lower-case hexadecimal digits");
    }
  });
}

// Null where nothing was measured.
void figure(JsonFields& json, const char* field, double& value, Index cases) {
  std::optional<double> figure = cases > 0 ? std::optional(value) : std::nullopt;
  json(field, figure);
  if (figure.has_value() != (cases > 0)) {
    json.fail(field, fmt::format("{} of {} cases", figure ? "a figure" : "null", cases));
  }
  value = figure.value_or(0);
}

void profile_of(JsonFields& json, Certificate& certificate) {
  json("name", certificate.profile_name);
  digest_field(json, "digest", certificate.profile_sha256);
  json("certifies", certificate.certifies);
}

void kernel_of(JsonFields& json, Certificate& certificate) {
  json("name", certificate.kernel_name);
  json("device", certificate.device);
  json.raw(
      "manifest", [&] { return certificate.manifest; },
      [&](const Json& manifest) -> Status {
        certificate.manifest = manifest;
        const auto parsed = parse_manifest(json_text(manifest));
        ASSAY_TRY(parsed);
        if (parsed->name != certificate.kernel_name) {
          json.fail("name", quote(certificate.kernel_name) + " is not the manifest's");
        }
        if (parsed->device != certificate.device) {
          json.fail("device", quote(certificate.device) + " is not the manifest's");
        }
        return {};
      });
}

}  // namespace

void fields(JsonFields& json, CertifiedMeasure& measured) {
  json("unit", measured.unit);
  json("cases", measured.cases);
  figure(json, "median", measured.median, measured.cases);
  figure(json, "worst", measured.worst, measured.cases);
  json("case", measured.worst_case);
}

void fields(JsonFields& json, CertifiedCheck& check) {
  json("check", check.name);
  json.word("status", check.status, {std::begin(kCheckStatuses), std::end(kCheckStatuses)});
  json("reason", check.reason);
  json("drawn", check.drawn);
  json("cases", check.cases);
  json("runs", check.runs);
  json("unsupported", check.unsupported);
  json("inconclusive", check.inconclusive);
  json("seeds", check.seeds);
  json.nullable("worst", !check.worst_case.empty(), [&](JsonFields& worst) {
    worst("errorOverBound", check.worst_ratio);
    worst("case", check.worst_case);
  });
  if (json.reads() || check.measured) { json.lenient("measured", check.measured); }
  if (check.status == "MEASURED" && !(check.measured && check.measured->cases > 0)) {
    json.fail("status", "\"MEASURED\" without what was measured");
  }
}

void fields(JsonFields& json, CertifiedFinding& finding) {
  json("check", finding.check);
  json.word("verdict", finding.verdict, {"Failed", "Crashed", "Hung"});
  json("reason", finding.reason);
  json("case", finding.line);
  json("originalCase", finding.original_line);
  json("hypothesis", finding.hypothesis);
  json("sentence", finding.sentence);
  aspect_field(json, finding.aspect);
  if (json.reads() || finding.checks.size() > 1) { json.lenient("checks", finding.checks); }
  if (finding.checks.empty()) { finding.checks = {finding.check}; }
}

void fields(JsonFields& json, DefectCount& defects) {
  digest_field(json, "profile", defects.profile_sha256);
  json("planted", defects.planted);
  json("caught", defects.caught);
}

void fields(JsonFields& json, OwnCases& own) {
  digest_field(json, "digest", own.sha256);
  json("cases", own.cases, Within{1});
}

void fields(JsonFields& json, EvidenceFile& file) {
  json("name", file.name);
  digest_field(json, "digest", file.sha256);
}

void fields(JsonFields& json, Certificate& certificate) {
  json.word("verdict", certificate.verdict, {"PASSED", "WAIVED", "FAILED", "INCOMPLETE"});
  json("because", certificate.because);
  json.object("profile", [&](JsonFields& part) { profile_of(part, certificate); });
  if (json.reads() || certificate.own_cases) { json.lenient("ownCases", certificate.own_cases); }
  artifact_kind(json, "artifactKind", certificate.artifact);
  json.object("kernel", [&](JsonFields& part) { kernel_of(part, certificate); });
  json("harness", certificate.harness);
  json("environment", certificate.environment);
  json("domain", certificate.domain);
  json("checks", certificate.checks);
  json("findings", certificate.findings);
  json("waivers", certificate.waivers);
  json("defects", certificate.defects);
  json("evidence", certificate.evidence);
  fields(json, certificate.code);
  json("runs", certificate.runs);
  json("seconds", certificate.seconds);
  json("threads", certificate.threads);
  json("startedAt", certificate.started_at);
  json("finishedAt", certificate.finished_at);
}

}  // namespace assay
