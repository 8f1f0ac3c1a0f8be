// Reports of one or more runs: HTML for people, Markdown for comments, CSV for tables, JUnit XML
// for a CI's list of tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/record/run_record.h"

namespace assay {

// One measured speed, as `assay bench --json` writes it.
struct BenchFigure {
  std::string name{}, unit{}, against{};
  double value = 0;
};
// {"bench": [{"name": ..., "value": ..., "unit": ..., "against": ...}, ...]}; a name that begins
// with "roof" is the roof of its unit. Errors: `file: ` with the field and what is expected.
Result<std::vector<BenchFigure>> parse_bench(std::string_view text, const std::string& file);

// A run with what it amounts to.
struct ReportedRun {
  RunRecord record{};
  Certification result{};
};
Result<ReportedRun> reported_run(RunRecord record, const Registry& names);

// The verdict in one sentence.
std::string verdict_sentence(const ReportedRun& run);

std::string html_report(const std::vector<ReportedRun>& runs, const Registry& names,
                        const std::vector<BenchFigure>& bench = {});
std::string markdown_report(const std::vector<ReportedRun>& runs);
std::string csv_report(const std::vector<ReportedRun>& runs, const Registry& names);
std::string junit_report(const std::vector<ReportedRun>& runs);

}  // namespace assay
