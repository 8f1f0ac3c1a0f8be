#include "src/certify/probe/probe.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "src/certify/probe/experiments.h"

namespace assay {
namespace {

constexpr double kProbeDeadlineSeconds = 5;

}  // namespace

ProbeReport probe(Session& kernel, const ProbeOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  ProbeReport report;
  Laboratory lab(kernel);
  lab.expect_rows(Untouched::kUntouched, Untouched::kUntouched, PaddingInput::kAnything);
  Probing probing{.lab = lab, .report = report};
  report.found = probe_domain(probing);
  if (report.found && !report.probed.offsets.empty()) {
    probe_operands(probing);
    probe_rows(probing);
    probe_repeatability(probing);
    probe_execution(probing);
    if (options.arithmetic) probe_arithmetic(probing);
  }
  report.not_run = lab.not_run();
  if (lab.gives_up()) {
    probing.row("probe", "cut short", report.not_run.empty() ? "calls hang" : report.not_run);
  }
  report.disagreements = disagreements(lab.own(), report);
  report.runs = lab.runs();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

Manifest completed(const Manifest& declared, const Manifest& probed) {
  Manifest manifest = declared;
  const auto take = [&](const char* field, auto member) {
    if (declared.declares(field) || !probed.declares(field)) return;
    manifest.*member = probed.*member;
  };
  take("passes", &Manifest::passes);
  take("formats", &Manifest::formats);
  if (!declared.declares("wgrad_formats") && !declared.declares("formats")) {
    manifest.wgrad_formats = probed.wgrad_formats;
  }
  take("weights", &Manifest::weights);
  take("offsets", &Manifest::offsets);
  take("accumulate", &Manifest::accumulate);
  take("base_bytes", &Manifest::base_bytes);
  take("k_multiple", &Manifest::k_multiple);
  take("n_multiple", &Manifest::n_multiple);
  take("row_multiple", &Manifest::row_multiple);
  take("ld_multiple", &Manifest::ld_multiple);
  take("tail_rows", &Manifest::tail_rows);
  take("padding_rows", &Manifest::padding_rows);
  take("padding_input", &Manifest::padding_input);
  take("conversion", &Manifest::conversion);
  take("arithmetic", &Manifest::arithmetic);
  if (!declared.declares("arithmetic")) manifest.arithmetic.ascending = false;
  return manifest;
}

Result<CompletedKernel> complete(const OpenSession& open) {
  auto session = open(kProbeDeadlineSeconds);
  if (!session) return tl::unexpected(session.error());
  const Manifest declared = (*session)->manifest();
  if (declared.is_complete()) return CompletedKernel{open};
  ProbeReport report = probe(**session);
  if (!report.found) {
    return refuse(
        fmt::format("kernel '{}' declares too little, and no call of it came back right: "
                    "{}",
                    (*session)->kernel_spec(), report.rows.back().evidence));
  }
  const Manifest manifest = completed(declared, report.probed);
  const auto open_completed = [open, manifest](double deadline) {
    auto opened = open(deadline);
    if (opened) (*opened)->assume(manifest);
    return opened;
  };
  return CompletedKernel{open_completed, std::move(report)};
}

}  // namespace assay
