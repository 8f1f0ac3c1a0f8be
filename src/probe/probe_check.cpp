#include "src/probe/probe_check.h"

#include <fmt/format.h>

#include "properties/support/case_run.h"
#include "src/probe/probe.h"

namespace assay {
namespace {

std::optional<std::string> always(const Manifest&) { return std::nullopt; }

Verdict run(Session& kernel, const CaseSpec&) {
  const ProbeReport report = probe(kernel);
  Verdict verdict{.kind = VerdictKind::kPassed, .runs = report.runs};
  if (!report.not_run.empty()) { return {.kind = VerdictKind::kNotRun, .reason = report.not_run}; }
  if (report.found && report.disagreements.empty()) { return verdict; }
  if (!report.found) {
    fail(verdict, Aspect::kManifest,
         "no call that the manifest declares comes back right: " + report.rows.back().evidence);
    return verdict;
  }
  std::string reason = report.disagreements.front();
  if (const std::size_t more = report.disagreements.size() - 1; more > 0) {
    reason += fmt::format("; and {} more (assay probe)", more);
  }
  fail(verdict, Aspect::kManifest, reason);
  // What is computed wrongly is no matter of the manifest: that case tells what it is.
  verdict.inner = report.wrong;
  return verdict;
}

}  // namespace

Check the_manifest_agrees_with_the_probe() {
  return {.name = "the_manifest_agrees_with_the_probe",
          .summary = "What the manifest declares is what experiments on the kernel find.",
          .guards_against =
              "documentation that contradicts the code: offsets called starts that are ends, "
              "\"strictly below\" for an end that may equal the rows (torch grouped_mm)",
          .advice =
              "`assay probe KERNEL` shows each experiment with its evidence. Correct the manifest "
              "where the kernel does less than it says, or the kernel where the manifest is what "
              "was meant.",
          .not_applicable = always,
          .prepare = nullptr,
          .run = run,
          .shrinks = false};
}

}  // namespace assay
