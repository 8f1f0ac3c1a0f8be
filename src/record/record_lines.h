// The lines of a run's record, written and read.
#pragma once

#include <string>

#include "src/record/run_record.h"

namespace assay {

// JSON objects without a newline; LineSeal makes lines of a record of them.
std::string header_line(const RunHeader& header);
std::string case_line(Index job, const Check& check, const CaseRecord& record);
std::string finding_line(Index job, const Finding& finding);
std::string end_line(const RunEnd& end);

enum class TornLine { kRefuse, kDrop };

// A whole file. Errors: `file:line: ` and what is wrong; a last line that is cut off, which a
// resume drops.
Result<RunRecord> parse_run(std::string_view text, const std::string& file, const Registry& names,
                            TornLine torn = TornLine::kRefuse);
// `path` may be a folder that holds one run. Errors: as parse_run, unreadable.
Result<RunRecord> read_run(const std::string& path, const Registry& names);
// The file that a path to a run means; of a folder the whole run, else its only part. Errors: a
// folder without a run, or with several.
Result<std::string> run_file(const std::string& path);
// The whole record as one file. Requires: plan_of(record.header) is a plan.
std::string run_text(const RunRecord& record, const Registry& names);

// One case line, as another process sends it.
struct SentCase {
  Index job = 0;
  CaseRecord record{};
};
Result<SentCase> parse_case_line(std::string_view line);

}  // namespace assay
