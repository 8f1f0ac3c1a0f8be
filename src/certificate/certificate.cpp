#include "src/certificate/certificate.h"

#include <algorithm>

#include "src/core/json_text.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

Index count_of(const CheckTally& check, VerdictKind kind) {
  return check.kinds[static_cast<std::size_t>(kind)];
}

std::string status_of(const CheckTally& check) {
  if (check.waiver) { return "WAIVED"; }
  constexpr std::string_view kNames[] = {"PASSED",         "FAILED",  "NOT_RUN",
                                         "CRASHED",        "HUNG",    "INCONCLUSIVE",
                                         "NOT_APPLICABLE", "NOT_RUN", "MEASURED"};
  return std::string(kNames[static_cast<std::size_t>(check.verdict)]);
}

std::optional<CertifiedMeasure> certified_measure(const CheckTally& check,
                                                  const std::string& worst_case) {
  if (!check.check->measures) { return std::nullopt; }
  return CertifiedMeasure{.unit = std::string(check.check->measures->unit),
                          .cases = check.measured.cases,
                          .median = check.measured.median,
                          .worst = check.measured.worst,
                          .worst_case = worst_case};
}

CertifiedCheck certified_check(const CheckTally& check, const std::string& worst_case,
                               const std::string& worst_measured_case, const Profile& profile) {
  CertifiedCheck certified{.name = std::string(check.check->name),
                           .status = status_of(check),
                           .reason = check.reason,
                           .drawn = check.drawn,
                           .cases = check.cases,
                           .runs = check.runs,
                           .unsupported = count_of(check, VerdictKind::kUnsupported),
                           .inconclusive = count_of(check, VerdictKind::kInconclusive),
                           .seeds = {},
                           .worst_ratio = worst_case.empty() ? 0 : check.worst_ratio,
                           .worst_case = worst_case,
                           .measured = certified_measure(check, worst_measured_case)};
  for (const ProfileLine& line : profile.lines) {
    const bool seeded = line.generator != kGiven;
    if (seeded && line.check == check.check->name) { certified.seeds.push_back(line.seed); }
  }
  return certified;
}

CertifiedFinding certified_finding(const Finding& finding) {
  const auto aspect = headline(finding.verdict.failed);
  std::vector<std::string> checks;
  for (const Check* check : finding.checks) { checks.emplace_back(check->name); }
  return {.check = std::string(finding.check->name),
          .verdict = std::string(name(finding.verdict.kind)),
          .reason = finding.verdict.reason,
          .line = canonical_text(finding.shrunk),
          .original_line = canonical_text(finding.original),
          .aspect = std::string(aspect ? name(*aspect) : ""),
          .checks = std::move(checks),
          .hypothesis = finding.diagnosis.hypothesis,
          .sentence = finding.diagnosis.sentence};
}

CertificateVerdict verdict_of(const Tally& tally) {
  if (tally.conclusion == Conclusion::kFailed) { return CertificateVerdict::kFailed; }
  if (tally.conclusion == Conclusion::kIncomplete) { return CertificateVerdict::kIncomplete; }
  return tally.waived() > 0 ? CertificateVerdict::kWaived : CertificateVerdict::kPassed;
}

}  // namespace

std::string_view name(CertificateVerdict verdict) {
  constexpr std::string_view kNames[] = {"PASSED", "WAIVED", "FAILED", "INCOMPLETE"};
  return kNames[static_cast<std::size_t>(verdict)];
}

bool Certificate::certifies_its_kernel() const {
  return std::find(certifies.begin(), certifies.end(), device) != certifies.end();
}

Certificate certificate_of(const RunRecord& record, const Certification& certification) {
  const RunHeader& header = record.header;
  const Tally& tally = certification.run.tally;
  Certificate certificate{.artifact = header.artifact,
                          .verdict = verdict_of(tally),
                          .because = tally.broken_waivers,
                          .profile_name = header.profile.name,
                          .profile_sha256 = header.profile.sha256,
                          .kernel_name = header.manifest.name,
                          .device = header.manifest.device,
                          .manifest = parse_json(header.manifest.declared),
                          .harness = header.harness,
                          .environment = header.environment,
                          .domain = tally.domain,
                          .waivers = header.waivers,
                          .code = certification.run.code,
                          .runs = tally.runs,
                          .seconds = certification.run.seconds,
                          .threads = certification.run.threads,
                          .started_at = header.started_at,
                          .finished_at = record.end ? record.end->finished_at : ""};
  if (!header.profile.own_cases.empty()) {
    certificate.own_cases = OwnCases{own_cases_sha256(header.profile),
                                     static_cast<Index>(header.profile.own_cases.size())};
  }
  if (header.profile.certifies_cpu) { certificate.certifies.push_back("cpu"); }
  if (header.profile.certifies_cuda) { certificate.certifies.push_back("cuda"); }
  certificate.because.insert(certificate.because.end(), tally.incomplete_because.begin(),
                             tally.incomplete_because.end());
  for (std::size_t row = 0; row < tally.checks.size(); ++row) {
    certificate.checks.push_back(
        certified_check(tally.checks[row], certification.run.worst_cases[row],
                        certification.run.worst_measured_cases[row], header.profile));
  }
  for (const Finding& finding : certification.findings) {
    certificate.findings.push_back(certified_finding(finding));
  }
  return certificate;
}

}  // namespace assay
