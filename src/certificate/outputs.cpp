#include "src/certificate/outputs.h"

#include <filesystem>

#include <fmt/format.h>

#include "src/certificate/envelope.h"
#include "src/core/digest.h"
#include "src/core/file.h"
#include "src/core/text.h"
#include "src/report/report.h"

namespace assay {
namespace {

constexpr std::string_view kReport = ".report.html", kJunit = ".junit.xml",
                           kCertificate = ".intoto.jsonl";

std::string output_path(const std::string& folder, const Artifact& artifact,
                        std::string_view suffix) {
  return (std::filesystem::path(folder) / artifact.name).string() + std::string(suffix);
}

bool certifies(const Certificate& certificate) {
  return certificate.certifies_its_kernel() &&
         (certificate.verdict == CertificateVerdict::kPassed ||
          certificate.verdict == CertificateVerdict::kWaived);
}

Index drawn_cases(const Certificate& certificate) {
  Index sum = 0;
  for (const CertifiedCheck& check : certificate.checks) { sum += check.drawn; }
  return sum;
}

}  // namespace

Result<std::vector<WrittenFile>> write_outputs(const std::string& record_file,
                                               const RunRecord& record, const Registry& names,
                                               const OutputOptions& options) {
  const auto reported = reported_run(record, names);
  ASSAY_TRY(reported);
  const ProfileRun& run = reported->result.run;
  std::vector<WrittenFile> written{{"results", record_file}};
  const std::string folder = std::filesystem::path(record_file).parent_path().string();
  const auto write = [&](const std::string& what, std::string_view suffix,
                         const std::string& text) -> Status {
    const std::string path = output_path(folder, record.header.artifact, suffix);
    written.push_back({what, path});
    return write_file(path, text);
  };
  if (run.shard.whole()) {
    ASSAY_TRY(write("report", kReport, html_report({*reported}, names)));
    ASSAY_TRY(write("junit", kJunit, junit_report({*reported})));
  }
  // A filter or another seed: whatever it shows, it is not the profile.
  if (run.whole_profile) {
    Certificate certificate = certificate_of(record, reported->result);
    const auto digest = sha256_of_file(record_file);
    ASSAY_TRY(digest);
    certificate.evidence.push_back(
        {std::filesystem::path(record_file).filename().string(), *digest});
    certificate.defects = options.defects;
    // Those of a built-in kernel can be compared without its compiler.
    for (const SourceDigest& row : source_digests()) {
      if (!record.header.artifact.is_file && row.kernel == record.header.artifact.name &&
          row.sha256 == record.header.artifact.sha256) {
        certificate.evidence.push_back(
            {std::string(row.kernel) + " sources", std::string(row.sources)});
      }
    }
    ASSAY_TRY(write("certificate", kCertificate,
                    certificate_text(certificate, options.key ? &*options.key : nullptr)));
  }
  return written;
}

Status may_replace(const std::string& folder, const RunHeader& header, const Plan& plan) {
  const std::string path = output_path(folder, header.artifact, kCertificate);
  const auto text = read_file(path);
  const auto file = text ? parse_certificate(*text, path) : tl::unexpected(text.error());
  if (!file || !certifies(file->certificate)) { return {}; }
  const Certificate& old = file->certificate;
  const std::string own_cases = old.own_cases ? old.own_cases->sha256 : "";
  const bool same = old.profile_sha256 == header.profile.sha256 &&
                    (own_cases.empty() || own_cases == own_cases_sha256(header.profile));
  const bool whole = plan.whole_profile && header.profile.certifies(header.manifest.device);
  if (whole && (same || static_cast<Index>(plan.jobs.size()) >= drawn_cases(old))) { return {}; }
  return make_error(fmt::format(
      "'{}' certifies {} under profile {}; a run {} would replace it: name another folder with "
      "--out, or say --replace",
      path, quote(old.kernel_name), quote(old.profile_name),
      plan.whole_profile ? "of profile " + header.profile.name : "with --filter or --seed"));
}

Status remove_outputs(const std::string& folder, const Artifact& artifact) {
  for (const std::string_view suffix : {kReport, kJunit, kCertificate}) {
    const std::string path = output_path(folder, artifact, suffix);
    std::error_code error;
    if (std::filesystem::is_directory(std::filesystem::symlink_status(path, error))) {
      return make_error(fmt::format("cannot replace '{}': it is a folder", path));
    }
    std::filesystem::remove(path, error);
    if (error) { return make_error(fmt::format("cannot remove '{}': {}", path, error.message())); }
  }
  return {};
}

}  // namespace assay
