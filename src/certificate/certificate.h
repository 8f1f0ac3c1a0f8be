// Certificate: what a run has shown about one artifact, as a deployment gate reads it: in-toto
// statements in DSSE envelopes, one a line. Everything in it is a function of one run's record.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/core/json_fields.h"
#include "src/record/run_record.h"

namespace assay {

// The last part is the version of corpus/certificates/kernel-certificate.schema.json.
inline constexpr std::string_view kCertificateType = "urn:assay:kernel-certificate:v0.2";
inline constexpr std::string_view kTestResultType =
    "https://in-toto.io/attestation/test-result/v0.1";
inline constexpr std::string_view kSvrType = "https://in-toto.io/attestation/svr/v0.2";

enum class CertificateVerdict : std::uint8_t { kPassed, kWaived, kFailed, kIncomplete };
std::string_view name(CertificateVerdict verdict);  // PASSED, WAIVED, FAILED, INCOMPLETE

inline constexpr std::string_view kCheckStatuses[] = {"PASSED",         "WAIVED",  "FAILED",
                                                      "CRASHED",        "HUNG",    "INCONCLUSIVE",
                                                      "NOT_APPLICABLE", "NOT_RUN", "MEASURED"};

// What a measuring check has found; report only.
struct CertifiedMeasure {
  std::string unit{};
  Index cases = 0;  // 0: nothing could be measured
  double median = 0, worst = 0;
  std::string worst_case{};
};

struct CertifiedCheck {
  std::string name{};
  std::string status{};  // one of kCheckStatuses
  std::string reason{};
  Index drawn = 0, cases = 0, runs = 0, unsupported = 0, inconclusive = 0;
  std::vector<std::uint64_t> seeds{};          // of the profile's lines
  double worst_ratio = 0;                      // error over bound
  std::string worst_case{};                    // empty where nothing was judged
  std::optional<CertifiedMeasure> measured{};  // of a check that measures, whatever its status

  bool fails() const { return status == "FAILED" || status == "CRASHED" || status == "HUNG"; }
};

struct CertifiedFinding {
  std::string check{}, verdict{}, reason{}, line{}, original_line{};
  std::string aspect{};                  // empty in certificates that have none
  std::vector<std::string> checks{};     // that met it, `check` first
  std::string hypothesis{}, sentence{};  // of the diagnosis; empty: none explains it
};

// The planted defects that the profile caught, from `assay selftest --json`.
struct DefectCount {
  std::string profile_sha256{};
  Index planted = 0, caught = 0;
};

// Cases that the user gave beside the profile's (`certify --cases`, `case=` in the profile), by the
// digest of their canonical lines.
struct OwnCases {
  std::string sha256{};
  Index cases = 0;
};

struct EvidenceFile {
  std::string name{}, sha256{};
};

struct Certificate {
  Artifact artifact{};
  CertificateVerdict verdict = CertificateVerdict::kIncomplete;
  std::vector<std::string> because{};  // why Incomplete, or which waivers failed
  std::string profile_name{}, profile_sha256{};
  std::vector<std::string> certifies{};  // devices whose kernels the profile certifies
  std::optional<OwnCases> own_cases{};
  std::string kernel_name{}, device{};
  Json manifest{};
  Harness harness{};
  Environment environment{};
  Domain domain{};
  std::vector<CertifiedCheck> checks{};
  std::vector<CertifiedFinding> findings{};
  std::vector<Waiver> waivers{};
  std::optional<DefectCount> defects{};
  std::vector<EvidenceFile> evidence{};  // files by their digest
  CodeList code{};                       // that ran
  Index runs = 0;
  double seconds = 0;
  Index threads = 0;
  std::string started_at{}, finished_at{};

  bool certifies_its_kernel() const;  // the profile certifies kernels of this device
};

// Requires: a whole profile that ended or was cut short.
Certificate certificate_of(const RunRecord& record, const Certification& certification);

// The own predicate.
void fields(JsonFields& json, Certificate& certificate);
// What in-toto calls a resource descriptor: a name, and a SHA-256 in an object {"sha256": ...}.
void fields(JsonFields& json, EvidenceFile& file);

// The statements of a certificate, as compact JSON, in their order: the own predicate, test-result,
// and svr where everything passed.
std::vector<std::string> statements_of(const Certificate& certificate);
// The first of them, back. Errors: another version, another predicate, what is missing
// or wrong, unknown fields.
Result<Certificate> read_statement(std::string_view text);

}  // namespace assay
