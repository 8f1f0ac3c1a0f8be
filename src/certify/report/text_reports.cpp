// Reports for machines and comments: Markdown, CSV, JUnit XML.
#include <fmt/format.h>

#include "src/certify/report/html.h"
#include "src/certify/report/report.h"
#include "src/certify/report_text.h"

namespace assay {
namespace {

std::string ratio_of(const CheckTally& check) {
  return check.worst_job < 0 ? "" : fmt::format("{:.3g}", check.worst_ratio);
}

std::string why(const CheckTally& check) {
  if (check.waiver)
    return fmt::format("waived until {}: {} ({})", check.waiver->until, check.waiver->reason,
                       check.waiver->link);
  return check.verdict == VerdictKind::kMeasured
             ? measured_text(check.measured, check.check->measures->unit)
             : check.reason;
}

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of("\",\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// The findings of a check, as a terminal shows them.
std::string findings_of(const ReportedRun& run, const Check* check) {
  std::string text;
  for (const Finding& finding : run.result.findings)
    if (finding.check == check) text += finding_text(run.record.header.kernel, finding, {});
  return text;
}

// What JUnit's readers know: a failure, an error that kept a test from a verdict, a skip.
std::string junit_outcome(const ReportedRun& run, const CheckTally& check) {
  const std::string kind(name(check.verdict));
  if (check.waiver) return fmt::format("<skipped message=\"{}\"/>", escaped(why(check)));
  if (is_finding(check.verdict)) {
    std::string message = kind;
    for (const Finding& finding : run.result.findings)
      if (finding.check == check.check) {
        message = finding.verdict.reason;
        break;
      }
    return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>", kind, escaped(message),
                       escaped(findings_of(run, check.check)));
  }
  if (check.verdict == VerdictKind::kNotApplicable || check.check->measures)
    return fmt::format("<skipped message=\"{}\"/>", escaped(check.reason));
  if (check.verdict != VerdictKind::kPassed)
    return fmt::format("<error type=\"{}\" message=\"{}\"/>", kind, escaped(check.reason));
  return "";
}

struct JunitCounts {
  Index tests = 0, failures = 0, errors = 0, skipped = 0;
};

std::string junit_suite(const ReportedRun& run) {
  const RunHeader& header = run.record.header;
  const Tally& tally = run.result.run.tally;
  const std::string suite = fmt::format("assay.{}.{}", header.artifact.name, header.profile.name);
  JunitCounts counts;
  std::string cases, properties;
  const auto add = [&](std::string_view test, double seconds, const std::string& outcome) {
    ++counts.tests;
    counts.failures += outcome.starts_with("<failure");
    counts.errors += outcome.starts_with("<error");
    counts.skipped += outcome.starts_with("<skipped");
    cases +=
        fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">{}</testcase>\n",
                    escaped(suite), escaped(test), seconds, outcome);
  };
  // A test without a failure counts as passed: what only measured is a property, and no test.
  for (const CheckTally& check : tally.checks)
    if (check.verdict == VerdictKind::kMeasured)
      properties += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", check.check->name,
                                escaped(why(check)));
    else
      add(check.check->name, check.seconds, junit_outcome(run, check));
  if (!properties.empty()) properties = "    <properties>\n" + properties + "    </properties>\n";
  for (const std::string& broken : tally.broken_waivers)
    add("waivers_hold", 0,
        fmt::format("<failure type=\"Waiver\" message=\"{0}\">{0}</failure>", escaped(broken)));
  if (tally.conclusion == Conclusion::kIncomplete)
    add("the_run_is_complete", 0,
        fmt::format("<error type=\"Incomplete\" message=\"{}\"/>",
                    escaped(tally.incomplete_because.empty() ? "" : tally.incomplete_because[0])));
  return fmt::format(
             "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
             "time=\"{:.3f}\" timestamp=\"{}\">\n",
             escaped(suite), counts.tests, counts.failures, counts.errors, counts.skipped,
             run.result.run.seconds, header.started_at.substr(0, 19)) +
         properties + cases + "  </testsuite>\n";
}

}  // namespace

std::string markdown_report(const std::vector<ReportedRun>& runs) {
  std::string text;
  for (const ReportedRun& run : runs) {
    const RunHeader& header = run.record.header;
    text += fmt::format("## {}\n\n", verdict_sentence(run));
    text += fmt::format(
        "`{}`, SHA-256 `{}`, {}, Assay {}, {}\n\n", header.artifact.name, header.artifact.sha256,
        header.environment.gpu.empty() ? header.environment.cpu : header.environment.gpu,
        header.harness.version, header.started_at);
    text += "| check | verdict | cases | error/bound | note |\n|---|---|---:|---:|---|\n";
    for (const CheckTally& check : run.result.run.tally.checks)
      text += fmt::format("| {} | {} | {} | {} | {} |\n", check.check->name,
                          check.waiver ? "Waived" : name(check.verdict), check.cases,
                          ratio_of(check), cell(why(check)));
    for (const Finding& finding : run.result.findings)
      text += fmt::format("\n```\n{}```\n", finding_text(header.kernel, finding, {}));
    text += "\n";
  }
  return text;
}

namespace {

std::string csv_line(const RunHeader& header, Index job, const Check* check,
                     const CaseRecord& one) {
  const JobResult& result = one.result;
  const bool measured = result.measured && check && check->measures;
  return fmt::format("{},{},{},{},{},{},{:g},{},{:.6f},{},{},{}\n", csv_cell(header.artifact.name),
                     csv_cell(header.profile.name), job, check ? check->name : "",
                     csv_cell(one.line), name(result.kind), result.worst_ratio, result.runs,
                     result.seconds, csv_cell(one.verdict.reason),
                     measured ? fmt::format("{:g}", *result.measured) : "",
                     measured ? check->measures->unit : "");
}

}  // namespace

std::string csv_report(const std::vector<ReportedRun>& runs, const BatteryNames& names) {
  std::string text =
      "kernel,profile,job,check,case,verdict,error_over_bound,runs,seconds,reason,measured,unit\n";
  for (const ReportedRun& run : runs) {
    const RunHeader& header = run.record.header;
    const auto plan = plan_of(header, names);
    for (const auto& [job, one] : run.record.cases)
      text += csv_line(header, job, plan ? &plan->check(job) : nullptr, one);
  }
  return text;
}

std::string junit_report(const std::vector<ReportedRun>& runs) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const ReportedRun& run : runs) text += junit_suite(run);
  return text + "</testsuites>\n";
}

}  // namespace assay
