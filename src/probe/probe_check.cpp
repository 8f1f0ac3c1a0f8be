#include "src/probe/probe_check.h"

#include <fmt/format.h>

#include "src/probe/probe.h"

namespace assay {
namespace {

std::optional<std::string> always(const Manifest&) { return std::nullopt; }

Verdict run(Session& kernel, const CaseSpec&) {
  const ProbeReport report = probe(kernel);
  Verdict verdict{.kind = VerdictKind::kPassed, .runs = report.runs};
  if (!report.not_run.empty()) { return {.kind = VerdictKind::kNotRun, .reason = report.not_run}; }
  if (report.found && report.disagreements.empty()) { return verdict; }
  verdict.kind = VerdictKind::kFailed;
  if (!report.found) {
    verdict.reason = "no call that the manifest declares comes back right: ";
    verdict.reason += report.rows.back().evidence;
    return verdict;
  }
  verdict.reason = report.disagreements.front();
  if (const std::size_t more = report.disagreements.size() - 1; more > 0) {
    verdict.reason += fmt::format("; and {} more (assay probe)", more);
  }
  return verdict;
}

}  // namespace

Check the_manifest_agrees_with_the_probe() {
  return {.name = "the_manifest_agrees_with_the_probe",
          .sentence = "What the manifest declares is what experiments on the kernel find.",
          .field_bug =
              "documentation that contradicts the code: offsets called starts that are ends, "
              "\"strictly below\" for an end that may equal the rows (torch grouped_mm)",
          .not_applicable = always,
          .prepare = nullptr,
          .run = run,
          .shrinks = false};
}

}  // namespace assay
