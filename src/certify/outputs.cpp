#include "src/certify/outputs.h"

#include <filesystem>

#include "src/certify/certificate/envelope.h"
#include "src/certify/report/report.h"
#include "src/certify/report_json.h"
#include "src/core/digest.h"

namespace assay {

Result<std::vector<WrittenFile>> write_outputs(const std::string& record_file,
                                               const RunRecord& record, const BatteryNames& names,
                                               const OutputOptions& options) {
  const auto certification = certification_of(record, names);
  if (!certification) return tl::unexpected(certification.error());
  std::vector<WrittenFile> written{{"results", record_file}};
  const std::filesystem::path folder = std::filesystem::path(record_file).parent_path();
  const auto write = [&](const std::string& what, const std::string& suffix,
                         const std::string& text) -> Status {
    const std::string path = (folder / (record.header.artifact.name + suffix)).string();
    written.push_back({what, path});
    return write_report(path, text);
  };
  const auto reported = reported_run(record, names);
  if (!reported) return tl::unexpected(reported.error());
  if (certification->run.shard.whole()) {
    if (auto status = write("report", ".report.html", html_report({*reported}, names)); !status)
      return tl::unexpected(status.error());
    if (auto status = write("junit", ".junit.xml", junit_report({*reported})); !status)
      return tl::unexpected(status.error());
  }
  // A filter or another seed: whatever it shows, it is not the profile.
  if (certification->run.whole_profile) {
    Certificate certificate = certificate_of(record, *certification);
    const auto digest = sha256_of_file(record_file);
    if (!digest) return tl::unexpected(digest.error());
    certificate.evidence.push_back(
        {std::filesystem::path(record_file).filename().string(), *digest});
    certificate.defects = options.defects;
    // Those of a built-in kernel can be compared without its compiler.
    for (const SourceDigest& row : source_digests())
      if (!record.header.artifact.is_file && row.kernel == record.header.artifact.name &&
          row.sha256 == record.header.artifact.sha256)
        certificate.evidence.push_back(
            {std::string(row.kernel) + " sources", std::string(row.sources)});
    if (auto status = write("certificate", ".intoto.jsonl",
                            certificate_text(certificate, options.key ? &*options.key : nullptr));
        !status)
      return tl::unexpected(status.error());
  }
  return written;
}

}  // namespace assay
