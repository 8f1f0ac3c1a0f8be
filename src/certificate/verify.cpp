#include "src/certificate/verify.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "src/campaign/profile.h"
#include "src/campaign/waiver.h"
#include "src/certificate/check_code.h"
#include "src/core/dates.h"
#include "src/core/digest.h"
#include "src/core/file.h"
#include "src/core/text.h"
#include "src/problem/recorded.h"

namespace assay {
namespace {

// Two machines' clocks differ by less where anything keeps them; and a certificate is checked
// within seconds of being made, on another machine.
constexpr std::int64_t kClockSkewSeconds = 60;

std::string broken_times(const Certificate& certificate, const std::string& at) {
  for (const std::string& time : {certificate.started_at, certificate.finished_at}) {
    if (!is_time(time)) {
      return fmt::format("{} is not a time such as 2026-01-31T12:00:00Z", quote(time));
    }
  }
  if (certificate.finished_at < certificate.started_at) {
    return fmt::format("the run ended at {}, before it began at {}", certificate.finished_at,
                       certificate.started_at);
  }
  if (seconds_of_time(certificate.finished_at) > seconds_of_time(at) + kClockSkewSeconds) {
    return fmt::format("dated after {}: the run ended at {}", at, certificate.finished_at);
  }
  return {};
}

// Days begun count whole; what ended within the clocks' difference is new.
Index age_in_days(const Certificate& certificate, const std::string& at) {
  constexpr std::int64_t kSecondsOfDay = 24 * 60 * 60;
  const std::int64_t days = seconds_of_time(at) / kSecondsOfDay -
                            seconds_of_time(certificate.finished_at) / kSecondsOfDay;
  return std::max<Index>(0, days);
}

// The verdict that the list of checks amounts to.
CertificateVerdict verdict_of(const Certificate& certificate) {
  bool failed = false, open = certificate.checks.empty(), waived = false, passed = false;
  for (const CertifiedCheck& check : certificate.checks) {
    failed |= check.fails();
    open |= !check.measured && (check.status == "NOT_RUN" || check.status == "INCONCLUSIVE");
    waived |= check.status == "WAIVED";
    passed |= check.status == "PASSED";
  }
  if (failed) { return CertificateVerdict::kFailed; }
  if (open || !(passed || waived)) { return CertificateVerdict::kIncomplete; }
  return waived ? CertificateVerdict::kWaived : CertificateVerdict::kPassed;
}

// What measures passes nothing, and what judges is not excused by a figure.
std::string broken_kind(const CertifiedCheck& check) {
  const Check* known = find_check(check.name);
  if (!known || (known->measures.has_value() == check.measured.has_value())) { return {}; }
  return known->measures
             ? fmt::format("check {} only measures, and is listed as {} without a figure",
                           check.name, check.status)
             : fmt::format("check {} judges, and is listed as one that measures", check.name);
}

// What passed has cases, each run once at least, and errors within their bounds.
std::string broken_figures(const CertifiedCheck& check) {
  if (check.status != "PASSED") { return {}; }
  const bool within = check.worst_ratio >= 0 && check.worst_ratio <= 1;
  if (within && check.cases > 0 && check.runs >= check.cases && check.drawn >= check.cases) {
    return {};
  }
  return fmt::format(
      "check {} is listed as PASSED with {} of {} cases judged, {} kernel runs and an error of {} "
      "bounds",
      check.name, check.cases, check.drawn, check.runs, check.worst_ratio);
}

// The check of the cases that were given has judged no more than those that are named.
std::string broken_own_cases(const Certificate& certificate) {
  const auto check = std::ranges::find(certificate.checks, kOwnCasesCheck, &CertifiedCheck::name);
  const Index drawn = check == certificate.checks.end() ? 0 : check->drawn;
  const Index named = certificate.own_cases ? certificate.own_cases->cases : 0;
  if (drawn == named) { return {}; }
  return fmt::format("it names {} cases of one's own, check {} has {}", named, kOwnCasesCheck,
                     drawn);
}

std::string broken_waiver(const Certificate& certificate, const Policy& policy,
                          const std::string& at) {
  for (const CertifiedCheck& check : certificate.checks) {
    if (check.status != "WAIVED") { continue; }
    const auto found =
        std::find_if(certificate.waivers.begin(), certificate.waivers.end(),
                     [&](const Waiver& waiver) { return waiver.check == check.name; });
    if (found == certificate.waivers.end()) {
      return fmt::format("check {} is waived, and no waiver says why", check.name);
    }
    if (found->until < date_of(at)) {
      return fmt::format("the waiver of {} ended on {}", check.name, found->until);
    }
    if (!policy.waivers_allowed) {
      return fmt::format(
          "check {} failed and is waived until {} ({}); a policy with \"waivers\": \"any\" lets "
          "that through",
          check.name, found->until, found->reason);
    }
  }
  return {};
}

Result<std::string> check_artifact(const Certificate& certificate, const VerifyOptions& options,
                                   std::vector<std::string>& notes) {
  const Artifact& artifact = certificate.artifact;
  if (!options.artifact.empty()) {
    if (!artifact.is_file) {
      return make_error(
          fmt::format("--artifact '{}': the certificate is one of the built-in kernel {}, "
                      "whose sources are compared",
                      options.artifact, artifact.name));
    }
    const auto digest = sha256_of_file(options.artifact);
    ASSAY_TRY(digest);
    return *digest == artifact.sha256
               ? std::string()
               : fmt::format("the artifact '{}' has the SHA-256 {}, the certified one {}",
                             options.artifact, *digest, artifact.sha256);
  }
  if (artifact.is_file) {
    notes.push_back(
        fmt::format("without --artifact: for the file with SHA-256 {} only", artifact.sha256));
    return std::string();
  }
  for (const SourceDigest& row : source_digests()) {
    if (row.kernel == artifact.name && !row.sha256.empty()) {
      return row.sha256 == artifact.sha256
                 ? std::string()
                 : fmt::format(
                       "the sources of kernel {} in this build have the SHA-256 {}, the "
                       "certified ones {}",
                       artifact.name, row.sha256, artifact.sha256);
    }
  }
  notes.push_back(
      fmt::format("kernel {} is not in this build: its sources were not compared", artifact.name));
  return std::string();
}

Result<std::string> check_profile(const Certificate& certificate, const VerifyOptions& options) {
  const std::string path =
      options.profile.empty()
          ? fmt::format("{}/profiles/{}.profile", corpus_folder(), certificate.profile_name)
          : options.profile;
  const auto text = read_file(path);
  if (!text) {
    return make_error(fmt::format("profile '{}': {}; --profile names the file",
                                  certificate.profile_name, text.error().message));
  }
  // A profile that this version cannot read, as of other checks, is known by its file alone.
  const auto profile = parse_profile(*text, path, every_name());
  const std::string digest = profile ? profile->sha256 : sha256_hex(*text);
  if (digest != certificate.profile_sha256) {
    return fmt::format("the profile {} has the SHA-256 {}, the certificate's {}", path, digest,
                       certificate.profile_sha256);
  }
  if (profile && !profile->certifies(certificate.device)) {
    return fmt::format("the profile {} certifies no {} kernels, whatever the certificate says",
                       path, certificate.device);
  }
  return std::string();
}

// Files that lie beside the certificate.
std::string check_evidence(const std::string& path, const Certificate& certificate) {
  const auto folder = std::filesystem::path(path).parent_path();
  for (const EvidenceFile& file : certificate.evidence) {
    const std::string beside = (folder / file.name).string();
    std::error_code error;
    if (file.name.find('/') != std::string::npos || !std::filesystem::exists(beside, error)) {
      continue;
    }
    const auto digest = sha256_of_file(beside);
    if (!digest) { return digest.error().message; }
    if (*digest != file.sha256) {
      return fmt::format("{} is not the file that the certificate rests on: another SHA-256",
                         beside);
    }
  }
  return {};
}

Result<std::string> check_key(const CertificateFile& file, const VerifyOptions& options,
                              std::vector<std::string>& notes) {
  if (options.key.empty()) {
    if (file.is_signed()) {
      return make_error(fmt::format(
          "the certificate is signed by key {}: --key PUBLIC.pem checks that", file.key_id));
    }
    notes.push_back("unsigned: guards against damage, not against forgery");
    return std::string();
  }
  const auto key = PublicKey::load(options.key);
  ASSAY_TRY(key);
  const Status status = check_signatures(file, *key);
  return status ? std::string() : status.error().message;
}

}  // namespace

std::string broken_claim(const Certificate& certificate, const Policy& policy,
                         const std::string& at) {
  if (certificate.verdict == CertificateVerdict::kFailed ||
      certificate.verdict == CertificateVerdict::kIncomplete) {
    return fmt::format("the verdict is {}{}", name(certificate.verdict),
                       certificate.because.empty() ? "" : ": " + certificate.because.front());
  }
  if (std::string wrong = broken_times(certificate, at); !wrong.empty()) { return wrong; }
  for (const CertifiedCheck& check : certificate.checks) {
    if (std::string wrong = broken_kind(check); !wrong.empty()) { return wrong; }
    if (std::string wrong = broken_figures(check); !wrong.empty()) { return wrong; }
  }
  if (std::string wrong = broken_own_cases(certificate); !wrong.empty()) { return wrong; }
  if (verdict_of(certificate) != certificate.verdict) {
    return fmt::format("the verdict is {}, but its checks amount to {}", name(certificate.verdict),
                       name(verdict_of(certificate)));
  }
  if (certificate.code.rows.empty() && certificate.code.not_asked.empty()) {
    return "it names no code that ran";
  }
  if (!certificate.certifies_its_kernel()) {
    return fmt::format("profile {} certifies no {} kernels", certificate.profile_name,
                       certificate.device);
  }
  for (const CertifiedFinding& finding : certificate.findings) {
    for (const std::string& met_by : finding.checks) {
      const auto waived = std::any_of(certificate.checks.begin(), certificate.checks.end(),
                                      [&](const CertifiedCheck& check) {
                                        return check.name == met_by && check.status == "WAIVED";
                                      });
      if (!waived) { return fmt::format("it holds a finding of {}", met_by); }
    }
  }
  return broken_waiver(certificate, policy, at);
}

std::string broken_demand(const CertificateFile& file, const Policy& policy,
                          const std::string& at) {
  const Certificate& certificate = file.certificate;
  const auto differs = [](std::string_view what, const std::string& wanted,
                          const std::string& got) {
    return wanted.empty() || wanted == got
               ? std::string()
               : fmt::format("policy: {} {} is wanted, the certificate is for {}", what,
                             quote(wanted), quote(got));
  };
  for (std::string wrong : {differs("profile", policy.profile, certificate.profile_name),
                            differs("device", policy.device, certificate.device),
                            differs("gpu", policy.gpu, certificate.environment.gpu),
                            differs("kernel", policy.kernel, certificate.kernel_name)}) {
    if (!wrong.empty()) { return wrong; }
  }
  if (policy.signature_required && !file.is_signed()) {
    return "policy: a signature is wanted, the certificate is unsigned";
  }
  if (policy.max_age_days) {
    const Index age = age_in_days(certificate, at);
    if (age > *policy.max_age_days) {
      return fmt::format("policy: at most {} days old is wanted, the certificate is {}",
                         *policy.max_age_days, age);
    }
  }
  if (policy.min_cases && certificate.domain.total() < *policy.min_cases) {
    return fmt::format("policy: {} cases are wanted, the certificate has {}", *policy.min_cases,
                       certificate.domain.total());
  }
  for (const CertifiedCheck& check : certificate.checks) {
    if (policy.max_error_over_bound && !(check.worst_ratio <= *policy.max_error_over_bound)) {
      return fmt::format("policy: error over bound of at most {:g} is wanted, {} has {:.3g} on {}",
                         *policy.max_error_over_bound, check.name, check.worst_ratio,
                         check.worst_case);
    }
  }
  for (const std::string& wanted : policy.checks) {
    const auto found = std::ranges::find(certificate.checks, wanted, &CertifiedCheck::name);
    if (found != certificate.checks.end() && found->status == "PASSED") { continue; }
    if (found != certificate.checks.end() && found->measured && !found->fails()) {
      return fmt::format(
          "policy: check {} only measures, it cannot pass: take it out of \"checks\"",
          quote(wanted));
    }
    return fmt::format("policy: check {} did not pass{}", quote(wanted),
                       find_check(wanted) ? "" : ": " + unknown_check(wanted));
  }
  return {};
}

namespace {

// A policy that asks for what no version of Assay has can never be met. Certificates may list
// checks of another version.
Status known_checks(const Policy& policy, const Certificate& certificate) {
  for (const std::string& wanted : policy.checks) {
    const bool listed = std::ranges::count(certificate.checks, wanted, &CertifiedCheck::name) != 0;
    if (listed || every_name().check(wanted)) { continue; }
    return make_error(fmt::format("{}: field 'checks': {}; `assay list checks` has them",
                                  policy.file, unknown_check(wanted)));
  }
  return {};
}

}  // namespace

Result<Verification> verify_certificate(const std::string& path, const VerifyOptions& options) {
  Policy policy;
  if (!options.policy.empty()) {
    auto loaded = load_policy(options.policy);
    ASSAY_TRY(loaded);
    policy = std::move(*loaded);
    if (!policy.expires.empty() && policy.expires < date_of(options.at)) {
      return make_error(
          fmt::format("{}: the policy expired on {}", options.policy, policy.expires));
    }
  }
  const auto text = read_file(path);
  ASSAY_TRY(text);
  auto file = parse_certificate(*text, path);
  ASSAY_TRY(file);
  ASSAY_TRY(known_checks(policy, file->certificate));
  Verification result{.certificate = file->certificate};
  const auto keep_first = [&](Result<std::string> wrong) -> Status {
    ASSAY_TRY(wrong);
    if (result.wrong.empty()) { result.wrong = *wrong; }
    return {};
  };
  ASSAY_TRY(keep_first(check_key(*file, options, result.notes)));
  ASSAY_TRY(keep_first(check_artifact(file->certificate, options, result.notes)));
  ASSAY_TRY(keep_first(
      check_code(file->certificate.code, options.artifact, options.depends, result.notes)));
  ASSAY_TRY(keep_first(check_profile(file->certificate, options)));
  if (result.wrong.empty()) { result.wrong = check_evidence(path, file->certificate); }
  if (result.wrong.empty()) { result.wrong = broken_claim(file->certificate, policy, options.at); }
  if (result.wrong.empty()) { result.wrong = broken_demand(*file, policy, options.at); }
  return result;
}

}  // namespace assay
