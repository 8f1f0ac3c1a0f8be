// The in-toto statements of a certificate.
#include <algorithm>

#include <fmt/format.h>

#include "src/certificate/certificate.h"
#include "src/core/json_object.h"
#include "src/core/text.h"

namespace assay {
namespace {

constexpr std::string_view kStatementType = "https://in-toto.io/Statement/v1";
constexpr std::string_view kWithoutCode = "v0.1";
constexpr std::string_view kVerifier = "urn:assay:verifier:v0.1";

Json descriptor(const std::string& name, const std::string& sha256) {
  return json_of(EvidenceFile{name, sha256});
}

Json statement(const Certificate& certificate, std::string_view type, const Json& predicate) {
  return {{"_type", kStatementType},
          {"subject",
           Json::array({descriptor(certificate.artifact.name, certificate.artifact.sha256)})},
          {"predicateType", type},
          {"predicate", predicate}};
}

Json profile_descriptor(const Certificate& certificate) {
  return descriptor(certificate.profile_name + ".profile", certificate.profile_sha256);
}

// What was tested: the profile, and the cases that were given beside it.
Json configuration(const Certificate& certificate) {
  Json files = Json::array({profile_descriptor(certificate)});
  if (certificate.own_cases) {
    files.push_back(descriptor("own.cases", certificate.own_cases->sha256));
  }
  return files;
}

// What was not judged did not pass: a reader of the lists alone must not take it for right. A check
// that measures is in a list only where it found something: it cannot pass.
Json test_result(const Certificate& certificate) {
  Json passed = Json::array(), warned = Json::array(), failed = Json::array();
  for (const CertifiedCheck& check : certificate.checks) {
    if (check.status == "PASSED") {
      passed.push_back(check.name);
    } else if (check.status == "WAIVED") {
      warned.push_back(check.name);
    } else if (check.fails() || !(check.measured || check.status == "NOT_APPLICABLE")) {
      failed.push_back(check.name);
    }
  }
  const std::string_view result = certificate.verdict == CertificateVerdict::kPassed   ? "PASSED"
                                  : certificate.verdict == CertificateVerdict::kWaived ? "WARNED"
                                                                                       : "FAILED";
  return {{"result", result},
          {"configuration", configuration(certificate)},
          {"passedTests", passed},
          {"warnedTests", warned},
          {"failedTests", failed}};
}

// ASSAY_ and the words in capitals, all else as '_'.
std::string property(std::string_view words) {
  std::string text = "ASSAY_";
  for (const char c : words) {
    const auto byte = static_cast<unsigned char>(c);
    text += std::isalnum(byte) ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return text;
}

Json svr(const Certificate& certificate) {
  Json properties = Json::array();
  properties.push_back(property("profile_" + certificate.profile_name));
  for (const auto& [cell, count] : certificate.domain.formats) {
    std::string words = "grouped_gemm_" + cell;
    if (const std::size_t arrow = words.find(" -> "); arrow != std::string::npos) {
      words.replace(arrow, 4, "_to_");
    }
    properties.push_back(property(words));
  }
  for (const auto& [convention, count] : certificate.domain.conventions) {
    properties.push_back(property("offsets_" + convention));
  }
  for (const CertifiedCheck& check : certificate.checks) {
    if (check.status == "PASSED") { properties.push_back(property(check.name)); }
  }
  return {{"verifier",
           {{"id", kVerifier}, {"policies", Json::array({profile_descriptor(certificate)})}}},
          {"timeCreated", certificate.finished_at},
          {"properties", properties}};
}

// Of a predicate that is not ours, or no longer.
std::string wrong_type(const std::string& type) {
  const std::string_view stem = kCertificateType.substr(0, kCertificateType.rfind(':') + 1);
  if (!type.starts_with(stem)) {
    return fmt::format("{} is not {}", quote(type), kCertificateType);
  }
  const std::string version = type.substr(stem.size());
  const bool old = version == kWithoutCode;
  return fmt::format("the certificate is of version {}{}; this assay reads {}{}", quote(version),
                     old ? ", which names no code that ran" : "",
                     kCertificateType.substr(stem.size()), old ? ": certify the kernel again" : "");
}

}  // namespace

std::vector<std::string> statements_of(const Certificate& certificate) {
  std::vector<std::string> statements;
  const auto add = [&](std::string_view type, const Json& predicate) {
    statements.push_back(compact_text(statement(certificate, type, predicate)));
  };
  add(kCertificateType, json_of(certificate));
  add(kTestResultType, test_result(certificate));
  if (certificate.verdict == CertificateVerdict::kPassed) { add(kSvrType, svr(certificate)); }
  return statements;
}

Result<Certificate> read_statement(std::string_view text) {
  const auto json = parse_json_object(text);
  ASSAY_TRY(json);
  Certificate certificate;
  ASSAY_TRY(read_fields(*json, "", [&](JsonFields& object) {
    std::vector<EvidenceFile> subject;
    std::string type;
    object.constant("_type", kStatementType);
    object("subject", subject);
    object("predicateType", type);
    object.note("predicate", nullptr);  // of another type it may hold anything
    if (type != kCertificateType) { return object.fail("predicateType", wrong_type(type)); }
    object.object("predicate", [&](JsonFields& predicate) { fields(predicate, certificate); });
    if (subject.size() != 1 || !is_artifact_name(subject[0].name)) {
      return object.fail("subject", "is not one artifact whose name is a file's");
    }
    certificate.artifact.name = subject[0].name;
    certificate.artifact.sha256 = subject[0].sha256;
  }));
  return certificate;
}

}  // namespace assay
