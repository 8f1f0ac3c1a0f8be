// Reports for machines and comments: Markdown, CSV, JUnit XML.
#include <algorithm>

#include <fmt/format.h>

#include "src/campaign/join_findings.h"
#include "src/core/text.h"
#include "src/report/html.h"
#include "src/report/markdown.h"
#include "src/report/report.h"
#include "src/report/report_text.h"

namespace assay {
namespace {

std::string ratio_of(const CheckTally& check) {
  return check.worst_job < 0 ? "" : fmt::format("{:.3g}", check.worst_ratio);
}

// A table's program takes a cell that begins like a formula for one.
std::string csv_cell(const std::string& words, std::size_t most = kAnyLength) {
  std::string text = one_line(words, most);
  if (text.find_first_of("=+-@") == 0) { text.insert(0, "'"); }
  if (text.find_first_of("\",") == std::string::npos) { return text; }
  std::string quoted = "\"";
  for (const char c : text) { quoted += c == '"' ? std::string("\"\"") : std::string(1, c); }
  return quoted + "\"";
}

bool is_of(const Finding& finding, const Check* check) {
  return finding.check == check || std::ranges::find(finding.checks, check) != finding.checks.end();
}

// The findings of a check, as a terminal shows them.
std::string findings_of(const ReportedRun& run, const Check* check) {
  std::string text;
  for (const Finding& finding : run.result.findings) {
    if (is_of(finding, check)) { text += finding_text(run.record.header.kernel, finding, {}); }
  }
  return text;
}

// With the count of what failed.
std::string whole_note(const CheckTally& check) {
  const std::string note = note_text(check), failed = failed_text(check);
  return note + (note.empty() || failed.empty() ? "" : "; ") + failed;
}

// What JUnit's readers know: a failure, an error that kept a test from a verdict, a skip.
std::string junit_outcome(const ReportedRun& run, const CheckTally& check) {
  const std::string kind(name(check.verdict));
  if (check.waiver) { return fmt::format("<skipped message=\"{}\"/>", escaped(note_text(check))); }
  if (is_finding(check.verdict)) {
    std::string message = kind;
    for (const Finding& finding : run.result.findings) {
      if (is_of(finding, check.check)) {
        message = fmt::format("{}: {}", wrong_text(finding),
                              one_line(finding.verdict.reason, kSentenceLength));
        break;
      }
    }
    return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>", kind, escaped(message),
                       escaped(findings_of(run, check.check)));
  }
  if (check.verdict == VerdictKind::kNotApplicable || check.check->measures) {
    return fmt::format("<skipped message=\"{}\"/>", escaped(note_text(check)));
  }
  if (check.verdict != VerdictKind::kPassed) {
    return fmt::format("<error type=\"{}\" message=\"{}\"/>", kind, escaped(note_text(check)));
  }
  return "";
}

struct JunitCounts {
  Index tests = 0, failures = 0, errors = 0, skipped = 0;
};

std::string junit_suite(const ReportedRun& run) {
  const RunHeader& header = run.record.header;
  const Tally& tally = run.result.run.tally;
  const std::string suite = fmt::format("assay.{}.{}", one_line(header.artifact.name, kNameLength),
                                        one_line(header.profile.name, kNameLength));
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
  for (const CheckTally& check : tally.checks) {
    if (check.verdict == VerdictKind::kMeasured) {
      properties += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", check.check->name,
                                escaped(note_text(check)));
    } else {
      add(check.check->name, check.seconds, junit_outcome(run, check));
    }
  }
  if (!properties.empty()) {
    properties = "    <properties>\n" + properties + "    </properties>\n";
  }
  const auto sentence = [](const std::string& text) {
    return escaped(one_line(text, kSentenceLength));
  };
  for (const std::string& broken : tally.broken_waivers) {
    add("waivers_hold", 0,
        fmt::format("<failure type=\"Waiver\" message=\"{0}\">{0}</failure>", sentence(broken)));
  }
  if (tally.conclusion == Conclusion::kIncomplete) {
    add("the_run_is_complete", 0,
        fmt::format("<error type=\"Incomplete\" message=\"{}\"/>",
                    sentence(tally.incomplete_because.empty() ? "" : tally.incomplete_because[0])));
  }
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
    const Environment& environment = header.environment;
    const std::string& device = environment.gpu.empty() ? environment.cpu : environment.gpu;
    text += fmt::format("## {}\n\n", markdown_text(verdict_sentence(run)));
    text += fmt::format("{}, SHA-256 {}, {}, Assay {}, {}\n\n",
                        code_span(one_line(header.artifact.name, kNameLength)),
                        code_span(one_line(header.artifact.sha256, kNameLength)),
                        markdown_text(one_line(device, kNameLength)),
                        markdown_text(one_line(header.harness.version, kNameLength)),
                        header.started_at);
    text += fmt::format("Code that ran: {}\n\n", markdown_text(code_sentence(run.result.run.code)));
    text += "| check | verdict | cases | error/bound | note |\n|---|---|---:|---:|---|\n";
    for (const CheckTally& check : run.result.run.tally.checks) {
      text += fmt::format("| {} | {} | {} | {} | {} |\n", check.check->name,
                          check.waiver ? "Waived" : name(check.verdict), check.cases,
                          ratio_of(check), markdown_text(whole_note(check)));
    }
    for (const Finding& finding : run.result.findings) {
      text += fmt::format("\n```\n{}```\n", finding_text(header.kernel, finding, {}));
    }
    text += "\n";
  }
  return text;
}

namespace {

std::string csv_line(const RunHeader& header, Index job, const Check* check,
                     const CaseRecord& one) {
  const JobResult& result = one.result;
  const bool measured = result.measured && check && check->measures;
  const auto aspect = headline(one.verdict.failed);
  return fmt::format("{},{},{},{},{},{},{:g},{},{:.6f},{},{},{},{}\n",
                     csv_cell(header.artifact.name, kNameLength),
                     csv_cell(header.profile.name, kNameLength), job, check ? check->name : "",
                     csv_cell(one.line), name(result.kind), result.worst_ratio, result.runs,
                     result.seconds, csv_cell(one.verdict.reason, kSentenceLength),
                     measured ? fmt::format("{:g}", *result.measured) : "",
                     measured ? check->measures->unit : "", aspect ? name(*aspect) : "");
}

}  // namespace

std::string csv_report(const std::vector<ReportedRun>& runs, const Registry& names) {
  std::string text =
      "kernel,profile,job,check,case,verdict,error_over_bound,runs,seconds,reason,measured,unit,"
      "aspect\n";
  for (const ReportedRun& run : runs) {
    const RunHeader& header = run.record.header;
    const auto plan = plan_of(header, names);
    for (const auto& [job, one] : run.record.cases) {
      text += csv_line(header, job, plan ? &plan->check(job) : nullptr, one);
    }
  }
  return text;
}

std::string junit_report(const std::vector<ReportedRun>& runs) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const ReportedRun& run : runs) { text += junit_suite(run); }
  return text + "</testsuites>\n";
}

}  // namespace assay
