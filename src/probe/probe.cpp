#include "src/probe/probe.h"

#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "src/probe/experiments.h"

namespace assay {
namespace {

constexpr double kProbeDeadlineSeconds = 5;

}  // namespace

ProbeReport probe(Session& kernel, const ProbeOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  ProbeReport report;
  ProbeSession lab(kernel);
  lab.expect_untouched_rows();
  Probing probing{.lab = lab, .report = report};
  report.found = probe_domain(probing);
  if (report.found && !report.probed.offsets.empty()) {
    probe_operands(probing);
    probe_rows(probing);
    probe_repeatability(probing);
    probe_execution(probing);
    if (options.arithmetic) { probe_arithmetic(probing); }
    probe_subnormals(probing);
  }
  report.not_run = lab.not_run();
  if (lab.gives_up()) {
    probing.row("probe", "cut short", report.not_run.empty() ? "calls hang" : report.not_run);
  }
  // On a machine that ran short they say nothing of the kernel.
  if (report.not_run.empty()) { report.disagreements = disagreements(lab.own(), report); }
  report.runs = lab.runs();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

Result<Manifest> completed(const Manifest& declared, const Manifest& probed) {
  // What the kernel computes, asks and leaves, and the bound of its arithmetic.
  constexpr const char* kFields[] = {
      "passes",       "formats",       "wgrad_formats", "weights",      "offsets",     "accumulate",
      "base_bytes",   "k_multiple",    "n_multiple",    "row_multiple", "ld_multiple", "tail_rows",
      "padding_rows", "padding_input", "conversion",    "subnormals",   "arithmetic"};
  Manifest additions = probed;
  additions.arithmetic.ascending = false;
  additions.declared_fields.clear();
  for (const char* const field : kFields) {
    const bool of_wgrad = std::string_view(field) == "wgrad_formats";
    if (declared.declares(field) || !probed.declares(field)) { continue; }
    if (of_wgrad && declared.declares("formats")) { continue; }
    // Would say every bit, of calls that were not probed, too.
    const bool of_bits =
        std::string_view(field) == "arithmetic" && additions.arithmetic.foretells_bits();
    if (of_bits) { continue; }
    additions.declared_fields.emplace_back(field);
  }
  return parse_manifest(with_fields(declared.declared, additions));
}

Result<CompletedKernel> complete(const OpenSession& open) {
  auto session = open(kProbeDeadlineSeconds);
  ASSAY_TRY(session);
  const Manifest declared = (*session)->manifest();
  if (declared.is_complete()) { return CompletedKernel{open}; }
  ProbeReport report = probe(**session);
  if (!report.not_run.empty()) {
    return run_short(fmt::format("kernel '{}' declares too little, and could not be probed: {}",
                                 (*session)->kernel_spec(), report.not_run));
  }
  if (!report.found) {
    return make_error(
        fmt::format("kernel '{}' declares too little to be judged, and the probe found no call "
                    "that it gets right ({}); declare passes, formats, weights and offsets, and "
                    "what is wrong becomes a finding (assay help manifest)",
                    (*session)->kernel_spec(), report.rows.back().evidence));
  }
  const auto manifest = completed(declared, report.probed);
  ASSAY_TRY(manifest);
  const auto open_completed = [open, manifest = *manifest](double deadline) {
    auto opened = open(deadline);
    if (opened) { (*opened)->assume(manifest); }
    return opened;
  };
  return CompletedKernel{open_completed, std::move(report)};
}

}  // namespace assay
