// The HTML report put together, and its sections of text.
#include <algorithm>

#include <fmt/format.h>

#include "src/campaign/join_findings.h"
#include "src/core/counted.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"
#include "src/report/html.h"
#include "src/report/report_text.h"
#include "src/report/sections.h"

namespace assay {
namespace {

constexpr Index kMaxTilesShown = 6000;  // about 200 bytes each

std::string sentence(const std::string& text) { return escaped(one_line(text, kSentenceLength)); }
std::string short_name(const std::string& text) { return one_line(text, kNameLength); }

std::string item(std::string_view name, const std::string& value) {
  return value.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, sentence(value));
}

std::string_view css_of(VerdictKind kind) {
  if (kind == VerdictKind::kPassed) { return "good"; }
  if (is_finding(kind)) { return "bad"; }
  const bool no_matter = kind == VerdictKind::kNotApplicable || kind == VerdictKind::kMeasured;
  return no_matter ? "soft" : "warn";
}

std::string verdict_cell(const CheckTally& check, const std::string& worst_measured_case) {
  if (check.waiver) {
    return fmt::format("<span class=\"warn\">Waived</span><small>{}</small>",
                       escaped(note_text(check)));
  }
  std::string cell =
      fmt::format("<span class=\"{}\">{}</span>", css_of(check.verdict), name(check.verdict));
  if (const std::string note = note_text(check); !note.empty()) {
    cell += fmt::format("<small>{}</small>", escaped(note));
  }
  if (check.verdict == VerdictKind::kMeasured) {
    cell += fmt::format("<small>worst on <code>{}</code></small>", escaped(worst_measured_case));
  }
  const auto inconclusive = check.kinds[static_cast<std::size_t>(VerdictKind::kInconclusive)];
  const auto unsupported = check.kinds[static_cast<std::size_t>(VerdictKind::kUnsupported)];
  if (const std::string failed = failed_text(check); !failed.empty()) {
    cell += fmt::format("<small>{}</small>", failed);
  }
  if (inconclusive > 0) { cell += fmt::format("<small>{} inconclusive</small>", inconclusive); }
  if (unsupported > 0) { cell += fmt::format("<small>{} unsupported</small>", unsupported); }
  return cell;
}

std::string finding_card(const ReportedRun& run, const Finding& finding, Index& tiles_left) {
  const Diagnosis& diagnosis = finding.diagnosis;
  std::string html =
      fmt::format("<article class=\"finding\"><h3>{}: {}</h3>\n<p>{}</p>\n<pre>{}</pre>\n",
                  name(finding.verdict.kind), wrong_text(finding), sentence(finding.verdict.reason),
                  escaped(short_text(finding.shrunk)));
  if (!diagnosis.hypothesis.empty()) {
    html += fmt::format(
        "<p><strong>Likely {}</strong>: {} (explains {:.0f} % of what is wrong).</p>\n",
        sentence(diagnosis.hypothesis), sentence(diagnosis.sentence), 100 * diagnosis.share);
  } else if (!diagnosis.sentence.empty()) {
    html += fmt::format("<p>No hypothesis: {}.</p>\n", sentence(diagnosis.sentence));
  } else if (diagnosis.tried > 0) {
    html += fmt::format("<p>None of {} hypotheses explains it.</p>\n", diagnosis.tried);
  }
  if (finding.tiles) {
    for (const ExpertTiles& expert : finding.tiles->experts) {
      tiles_left -= static_cast<Index>(expert.tiles.size());
    }
    html += tiles_left >= 0 ? tile_map_figure(*finding.tiles, finding.original)
                            : "<p class=\"soft\">The map of its tiles is left out: too many.</p>\n";
  }
  html += fmt::format("<p class=\"soft\">Met by {}.</p>\n", checks_text(finding));
  return html + fmt::format(
                    "<details><summary>Worst element, and how to see it again</summary>"
                    "<pre>{}</pre></details></article>\n",
                    escaped(finding_text(run.record.header.kernel, finding, {})));
}

std::string one_run(const ReportedRun& run, const Registry& names) {
  const CaseSummary summary = summarize(run.record, names);
  return verdict_section(run) + checks_section(run) + findings_section(run) +
         ratios_section(summary) + determinism_section(summary, run.record.header.manifest) +
         rows_section(summary) + coverage_section(summary) + code_section(run);
}

}  // namespace

std::string verdict_section(const ReportedRun& run) {
  const RunHeader& header = run.record.header;
  const Tally& tally = run.result.run.tally;
  const std::string_view css = tally.conclusion == Conclusion::kFailed ? "failed"
                               : tally.conclusion == Conclusion::kPassed && tally.waived() == 0
                                   ? "passed"
                                   : "open";
  std::string html =
      fmt::format("<div class=\"verdict {}\"><h1>{}</h1>\n", css, escaped(verdict_sentence(run)));
  for (const std::string& broken : tally.broken_waivers) {
    html += fmt::format("<p>{}</p>\n", sentence(broken));
  }
  constexpr std::size_t kReasonsShown = 4;  // the JSON has all of them
  const std::vector<std::string>& reasons = tally.incomplete_because;
  for (std::size_t i = 0; i < std::min(kReasonsShown, reasons.size()); ++i) {
    html += fmt::format("<p>Incomplete: {}</p>\n", sentence(reasons[i]));
  }
  if (reasons.size() > kReasonsShown) {
    html += fmt::format("<p>Incomplete: and {} more reasons</p>\n", reasons.size() - kReasonsShown);
  }
  html +=
      "<p>Tests can prove a kernel wrong, never right. Nothing follows for "
      "what was not tested.</p></div>\n<dl>\n";
  const Environment& environment = header.environment;
  html += item("Artifact", fmt::format("{} ({}), SHA-256 {}", short_name(header.artifact.name),
                                       header.artifact.is_file ? "file"
                                                               : "sources of a built-in "
                                                                 "kernel",
                                       short_name(header.artifact.sha256)));
  html += item("Kernel", fmt::format("{}, device {}", short_name(header.manifest.name),
                                     header.manifest.device));
  html += item("GPU", short_name(environment.gpu));
  html += item("Driver", short_name(environment.driver));
  html += item("CUDA runtime", short_name(environment.cuda_runtime));
  html += item("Processor", fmt::format("{}, {}", short_name(environment.cpu),
                                        counted(environment.cores, "core")));
  html += item("System", short_name(environment.system) + ", " + short_name(environment.kernel));
  html += item("Profile", fmt::format("{}, SHA-256 {}", short_name(header.profile.name),
                                      short_name(header.profile.sha256)));
  html += item("Harness", fmt::format("Assay {}, {}", short_name(header.harness.version),
                                      short_name(header.harness.compiler)));
  html += item("Code that ran", code_sentence(run.result.run.code));
  html += item("Run", fmt::format("{} to {}, {:.1f} s, {}, {}", header.started_at,
                                  run.record.end ? run.record.end->finished_at : "(not ended)",
                                  run.result.run.seconds, counted(run.result.run.threads, "thread"),
                                  counted(tally.runs, "kernel run", grouped_digits(tally.runs))));
  return html + "</dl>\n";
}

std::string checks_section(const ReportedRun& run) {
  std::vector<std::vector<std::string>> rows;
  const ProfileRun& result = run.result.run;
  for (std::size_t row = 0; row < result.tally.checks.size(); ++row) {
    const CheckTally& check = result.tally.checks[row];
    rows.push_back({fmt::format("<code>{}</code><small>{}</small>", check.check->name,
                                escaped(check.check->summary)),
                    verdict_cell(check, result.worst_measured_cases[row]),
                    grouped_digits(check.cases),
                    check.worst_job < 0 ? "&ndash;" : fmt::format("{:.3g}", check.worst_ratio),
                    grouped_digits(check.runs), fmt::format("{:.2f}", check.seconds)});
  }
  return "<section><h2>Checks</h2>\n" +
         html_table(
             "Each check is a sentence that has to hold of a kernel; one that measures reports "
             "a figure, without a verdict. Cases are distinct ones on which every element was "
             "judged; error/bound is the worst one.",
             {{"Check"},
              {"Verdict"},
              {"Cases", true},
              {"Error/bound", true},
              {"Runs", true, true},
              {"Seconds", true, true}},
             rows) +
         "</section>\n";
}

std::string findings_section(const ReportedRun& run) {
  if (run.result.findings.empty()) { return ""; }
  std::string html = fmt::format("<section><h2>Findings ({})</h2>\n", run.result.findings.size());
  Index tiles_left = kMaxTilesShown;
  for (const Finding& finding : run.result.findings) {
    html += finding_card(run, finding, tiles_left);
  }
  return html + "</section>\n";
}

std::string html_report(const std::vector<ReportedRun>& runs, const Registry& names,
                        const std::vector<BenchFigure>& bench) {
  std::string body;
  for (const ReportedRun& run : runs) { body += one_run(run, names); }
  const std::string title = runs.size() == 1 ? "Assay: " + verdict_sentence(runs.front())
                                             : fmt::format("Assay: {} runs", runs.size());
  return html_page(title, body + bench_section(bench));
}

}  // namespace assay
