#include "src/record/record_lines.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "src/core/file.h"
#include "src/core/json_object.h"
#include "src/core/require.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"
#include "src/record/code_json.h"
#include "src/record/finding_json.h"
#include "src/record/header_json.h"

namespace assay {
namespace {

constexpr std::string_view kSuffix = ".results.jsonl";

void measured_of(JsonFields& json, std::optional<double>& measured, std::string_view unit) {
  if (!json.reads() && (!measured || unit.empty())) { return; }
  json.nullable("measured", true, [&](JsonFields& inner) {
    double value = measured.value_or(0);
    inner("value", value);
    inner.note("unit", unit);  // the check tells it
    measured = value;
  });
}

// Why the case was not judged, or what is wrong.
void verdict_of(JsonFields& json, JobResult& result, Verdict& verdict) {
  const bool found = is_finding(result.kind);
  std::string reason = found ? verdict.reason : result.reason;
  if (json.reads() || found || !reason.empty()) { json.lenient("reason", reason); }
  if (json.reads()) { verdict.reason = reason; }
  if (!json.reads() && !found) { return; }
  aspects_of(json, verdict);
  inner_case(json, verdict);
  json.lenient("wrongElements", verdict.wrong_elements);
  json.lenient("elements", verdict.elements);
  if (!json.reads() && !verdict.worst) { return; }
  json.nullable("worst", true, [&](JsonFields& worst) {
    if (json.reads()) { verdict.worst.emplace(); }
    fields(worst, *verdict.worst, result.facts.out);
  });
}

}  // namespace

// `check` is null where the line is read: the job tells it.
void fields(JsonFields& json, SentCase& sent, const Check* check) {
  JobResult& result = sent.record.result;
  json("job", sent.job);
  json.note("check", check ? Json(check->name) : Json());
  json("case", sent.record.line);
  verdict_kind(json, result.kind);
  json.lenient("errorOverBound", result.worst_ratio);
  json.lenient("runs", result.runs);
  json.lenient("seconds", result.seconds);
  json.sparse("alone", result.alone);
  json.sparse("killed", result.killed);
  measured_of(json, result.measured, check && check->measures ? check->measures->unit : "");
  verdict_of(json, result, sent.record.verdict);
}

namespace {

Result<SentCase> read_case(const Json& json) {
  SentCase sent;
  ASSAY_TRY(read_json(json, "", sent, nullptr));
  const auto spec = parse_case(sent.record.line);
  if (!spec) { return make_error("field 'case': " + spec.error().message); }
  JobResult& result = sent.record.result;
  Verdict& verdict = sent.record.verdict;
  result.ran = true;
  result.facts = facts_of(*spec);
  verdict.kind = result.kind;
  verdict.worst_ratio = result.worst_ratio;
  verdict.runs = result.runs;
  verdict.measured = result.measured;
  if (!is_judged(result.kind) || result.measured) { result.reason = verdict.reason; }
  if (!is_finding(result.kind) && !verdict.failed.empty()) {
    return make_error(fmt::format("field 'aspect': {} is wrong in a case that is {}",
                                  name(verdict.failed.front().aspect), name(result.kind)));
  }
  const bool within = result.worst_ratio >= 0 && result.worst_ratio <= 1;
  if (result.kind == VerdictKind::kPassed && !within) {
    return make_error(fmt::format("field 'errorOverBound': {} in a case that is {}",
                                  result.worst_ratio, name(result.kind)));
  }
  return sent;
}

struct FindingLine {
  Index job = 0;
  Finding finding{};
};

void fields(JsonFields& json, FindingLine& line, const Registry& names) {
  json("finding", line.job);
  json.object("is", [&](JsonFields& is) { fields(is, line.finding, names); });
}

Status read_line(const Json& json, const Registry& names, RunRecord& record) {
  if (json.contains("finding")) {
    FindingLine line;
    ASSAY_TRY(read_json(json, "", line, names));
    const auto met = record.cases.find(line.job);
    if (met == record.cases.end() || !is_finding(met->second.result.kind)) {
      return make_error(fmt::format("field 'finding': case {} did not fail", line.job));
    }
    record.findings.insert_or_assign(line.job, std::move(line.finding));
    return {};
  }
  if (json.contains("finishedAt")) { return read_json(json, "", record.end.emplace()); }
  // All that was loaded until then.
  if (json.contains("code")) { return read_json(json, "", record.code = {}); }
  auto sent = read_case(json);
  ASSAY_TRY(sent);
  sent->record.result.facts.many_tiles =
      has_many_tiles(*parse_case(sent->record.line), record.header.manifest);
  record.end.reset();  // a run that was cut short goes on, and tries again what was not run
  const auto known = record.cases.find(sent->job);
  // What hung or was killed is judged again alone; that line is the one that counts.
  const auto is_superseded = [&](const JobResult& before) {
    const bool may_be_others = before.killed || before.kind == VerdictKind::kHung;
    return before.kind == VerdictKind::kNotRun ||
           (sent->record.result.alone && !before.alone && may_be_others);
  };
  if (known != record.cases.end() && !is_superseded(known->second.result)) {
    return make_error(fmt::format("field 'job': case {} was judged before", sent->job));
  }
  record.cases.insert_or_assign(sent->job, std::move(sent->record));
  return {};
}

// Whether a record's file name says that it is a part of a run: NAME.part1of3.results.jsonl.
bool is_part(std::string_view name) {
  const std::string_view stem = name.substr(0, name.size() - kSuffix.size());
  const std::string_view word = stem.substr(stem.rfind('.') + 1);
  const std::size_t of = word.find("of");
  return word.starts_with("part") && of != std::string_view::npos && of > 4 &&
         parse_index(word.substr(4, of - 4)) && parse_index(word.substr(of + 2));
}

}  // namespace

std::string header_line(const RunHeader& header) {
  return compact_text(json_of(header, Registry{}));
}

std::string case_line(Index job, const Check& check, const CaseRecord& record) {
  return compact_text(json_of(SentCase{job, record}, &check));
}

std::string finding_line(Index job, const Finding& finding) {
  return compact_text(json_of(FindingLine{job, finding}, Registry{}));
}

std::string end_line(const RunEnd& end) { return compact_text(json_of(end)); }

Result<SentCase> parse_case_line(std::string_view line) {
  const auto json = parse_json_object(line);
  ASSAY_TRY(json);
  return read_case(*json);
}

namespace {

Result<RunHeader> read_header(const Json& json, const Registry& names) {
  const auto version = json.find("assayRun");
  if (version == json.end()) {
    return make_error("no run of assay: the first line is {\"assayRun\": 2, ...}");
  }
  if (version->is_number_unsigned() && version->get<std::uint64_t>() > kRecordVersion) {
    return make_error(fmt::format("a run of version {}; this assay reads versions up to {}",
                                  version->get<std::uint64_t>(), kRecordVersion));
  }
  RunHeader header;
  ASSAY_TRY(read_json(json, "", header, names));
  return header;
}

// The first line says of which version the record is; lines of version 1 are not sealed.
Status read_first(std::string_view line, const Registry& names, RunRecord& record) {
  const bool sealed = is_sealed(line);
  const auto object = sealed ? record.seal.open(line) : Result<std::string>(line);
  ASSAY_TRY(object);
  const auto json = parse_json_object(*object);
  ASSAY_TRY(json);
  auto header = read_header(*json, names);
  ASSAY_TRY(header);
  if (!sealed && header->version > 1) {
    return make_error("the line does not end in its run and seal");
  }
  record.header = std::move(*header);
  record.header.run = record.seal.run();
  return {};
}

Status read_next(std::string_view line, const Registry& names, RunRecord& record) {
  const auto object =
      record.header.version > 1 ? record.seal.open(line) : Result<std::string>(line);
  ASSAY_TRY(object);
  const auto json = parse_json_object(*object);
  ASSAY_TRY(json);
  return read_line(*json, names, record);
}

}  // namespace

Result<RunRecord> parse_run(std::string_view text, const std::string& file, const Registry& names,
                            TornLine torn) {
  Result<RunRecord> result;
  RunRecord& record = *result;
  if (text.empty()) { return make_error(fmt::format("{}: empty, no run of assay", file)); }
  Index number = 0;
  for (std::size_t at = 0; at < text.size();) {
    ++number;
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) {
      if (torn == TornLine::kDrop && number > 1) { break; }
      return make_error(
          fmt::format("{}:{}: the line is cut off after {} bytes; a run that was killed "
                      "goes on with `assay certify --resume`",
                      file, number, text.size() - at));
    }
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const Status status =
        number == 1 ? read_first(line, names, record) : read_next(line, names, record);
    if (!status) {
      return make_error(fmt::format("{}:{}: {}", file, number, status.error().message));
    }
  }
  return result;
}

Result<std::string> run_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) { return path; }
  std::vector<std::filesystem::directory_entry> whole, parts;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(kSuffix)) { continue; }
    (is_part(name) ? parts : whole).push_back(entry);
  }
  // A whole run stands for its parts, unless they have been run again since.
  const auto& found = whole.empty() ? parts : whole;
  const bool one = found.size() == 1 && std::ranges::all_of(parts, [&](const auto& part) {
                     return part.last_write_time(error) <= found.front().last_write_time(error);
                   });
  if (one) { return found.front().path().string(); }
  return make_error(fmt::format("'{}' holds {} runs (*{}): name one", path,
                                whole.size() + parts.size(), kSuffix));
}

Result<RunRecord> read_run(const std::string& path, const Registry& names) {
  const auto file = run_file(path);
  ASSAY_TRY(file);
  const auto text = read_file(*file);
  ASSAY_TRY(text);
  return parse_run(*text, *file, names);
}

std::string run_text(const RunRecord& record, const Registry& names) {
  LineSeal seal(record.header.run);
  std::string text = seal.close(header_line(record.header));
  const auto plan = plan_of(record.header, names);
  ASSAY_REQUIRE(plan.has_value(), record.header.profile.name);
  for (const auto& [job, one] : record.cases) {
    text += seal.close(case_line(job, plan->check(job), one));
  }
  for (const auto& [job, finding] : record.findings) {
    text += seal.close(finding_line(job, finding));
  }
  text += seal.close(code_text(record.code));
  if (record.end) { text += seal.close(end_line(*record.end)); }
  return text;
}

}  // namespace assay
