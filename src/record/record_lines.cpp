#include "src/record/record_lines.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "src/core/dates.h"
#include "src/core/file.h"
#include "src/core/require.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"
#include "src/record/code_json.h"
#include "src/record/finding_json.h"
#include "src/record/header_json.h"

namespace assay {
namespace {

constexpr Index kMost = std::numeric_limits<Index>::max();
constexpr std::string_view kSuffix = ".results.jsonl";

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The unit is for people: the check tells it.
void read_measured(JsonObject& object, JobResult& result) {
  if (!object.find("measured")) { return; }
  object.read_object("measured", [&](const Json& json) {
    JsonObject measured(json, "measured");
    double value = 0;
    measured.require("value");
    measured.read_number("value", value);
    measured.find("unit");
    result.measured = value;
    return measured.finish();
  });
}

Result<SentCase> read_case(const Json& json) {
  JsonObject object(json, "");
  SentCase sent;
  JobResult& result = sent.record.result;
  object.require("job");
  object.read_index("job", 0, kMost, sent.job);
  object.find("check");  // for people: the job tells it
  object.require("case");
  object.read("case", sent.record.line);
  read_verdict_kind(object, result.kind);
  object.read_number("errorOverBound", result.worst_ratio);
  object.read_index("runs", 0, kMost, result.runs);
  object.read_number("seconds", result.seconds);
  object.read("alone", result.alone);
  object.read("killed", result.killed);
  read_measured(object, result);
  Verdict& verdict = sent.record.verdict;
  object.read("reason", verdict.reason);
  read_aspects(object, verdict);
  object.read_index("wrongElements", 0, kMost, verdict.wrong_elements);
  object.read_index("elements", 0, kMost, verdict.elements);
  if (const Json* worst = object.find("worst"); worst && !worst->is_null()) {
    auto entry = read_entry(*worst);
    ASSAY_TRY(entry);
    verdict.worst = *entry;
  }
  ASSAY_TRY(object.finish());
  const auto spec = parse_case(sent.record.line);
  if (!spec) { return make_error("field 'case': " + spec.error().message); }
  result.ran = true;
  result.facts = facts_of(*spec);
  verdict.kind = result.kind;
  verdict.worst_ratio = result.worst_ratio;
  verdict.runs = result.runs;
  verdict.measured = result.measured;
  if (!is_judged(result.kind) || result.measured) { result.reason = verdict.reason; }
  return sent;
}

Status read_finding_line(const Json& json, const BatteryNames& names, RunRecord& record) {
  JsonObject object(json, "");
  Index job = 0;
  object.read_index("finding", 0, kMost, job);
  const Json* what = object.require("is");
  ASSAY_TRY(object.finish());
  auto finding = read_finding(*what, names);
  ASSAY_TRY(finding);
  record.findings.insert_or_assign(job, std::move(*finding));
  return {};
}

// All that was loaded until then.
Status read_code_line(const Json& json, RunRecord& record) {
  JsonObject object(json, "");
  record.code = {};
  read_code(object, record.code);
  return object.finish();
}

Status read_end(const Json& json, RunRecord& record) {
  JsonObject object(json, "");
  RunEnd end;
  object.read("finishedAt", end.finished_at);
  if (!is_time(end.finished_at)) {
    object.fail("finishedAt", quote(end.finished_at) + " is no time such as 2026-01-31T12:00:00Z");
  }
  object.read_number("seconds", end.seconds);
  object.read_int("threads", 0, 1 << 20, end.threads);
  object.read("cutShort", end.cut_short);
  ASSAY_TRY(object.finish());
  record.end = end;
  return {};
}

Status read_line(const Json& json, const BatteryNames& names, RunRecord& record) {
  if (json.contains("finding")) { return read_finding_line(json, names, record); }
  if (json.contains("finishedAt")) { return read_end(json, record); }
  if (json.contains("code")) { return read_code_line(json, record); }
  auto sent = read_case(json);
  ASSAY_TRY(sent);
  sent->record.result.facts.many_tiles =
      has_many_tiles(*parse_case(sent->record.line), record.header.manifest);
  record.end.reset();  // a run that was cut short goes on
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

std::string header_line(const RunHeader& header) { return line_of(header_json(header)); }

std::string case_line(Index job, const Check& check, const CaseRecord& record) {
  const JobResult& result = record.result;
  Json json{{"job", job},
            {"check", check.name},
            {"case", record.line},
            {"verdict", name(result.kind)},
            {"errorOverBound", number_json(result.worst_ratio)},
            {"runs", result.runs},
            {"seconds", result.seconds}};
  if (result.alone) { json["alone"] = true; }
  if (result.killed) { json["killed"] = true; }
  if (result.measured && check.measures) {
    json["measured"] = {{"value", number_json(*result.measured)}, {"unit", check.measures->unit}};
  }
  if (is_finding(result.kind)) {
    json["reason"] = record.verdict.reason;
    add_aspects(json, record.verdict);
    json["wrongElements"] = record.verdict.wrong_elements;
    json["elements"] = record.verdict.elements;
    if (record.verdict.worst) {
      json["worst"] = entry_json(*record.verdict.worst, result.facts.out);
    }
  } else if (!result.reason.empty()) {
    json["reason"] = result.reason;
  }
  return line_of(json);
}

std::string finding_line(Index job, const Finding& finding) {
  return line_of({{"finding", job}, {"is", finding_json(finding)}});
}

std::string code_line(const CodeList& code) {
  Json json = Json::object();
  add_code(code, json);
  return line_of(json);
}

std::string end_line(const RunEnd& end) {
  return line_of({{"finishedAt", end.finished_at},
                  {"seconds", end.seconds},
                  {"threads", end.threads},
                  {"cutShort", end.cut_short}});
}

Result<SentCase> parse_case_line(std::string_view line) {
  const auto json = parse_json_object(line);
  ASSAY_TRY(json);
  return read_case(*json);
}

namespace {

// The first line says of which version the record is; lines of version 1 are not sealed.
Status read_first(std::string_view line, const BatteryNames& names, RunRecord& record) {
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

Status read_next(std::string_view line, const BatteryNames& names, RunRecord& record) {
  const auto object =
      record.header.version > 1 ? record.seal.open(line) : Result<std::string>(line);
  ASSAY_TRY(object);
  const auto json = parse_json_object(*object);
  ASSAY_TRY(json);
  return read_line(*json, names, record);
}

}  // namespace

Result<RunRecord> parse_run(std::string_view text, const std::string& file,
                            const BatteryNames& names, TornLine torn) {
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

Result<RunRecord> read_run(const std::string& path, const BatteryNames& names) {
  const auto file = run_file(path);
  ASSAY_TRY(file);
  const auto text = read_file(*file);
  ASSAY_TRY(text);
  return parse_run(*text, *file, names);
}

std::string run_text(const RunRecord& record, const BatteryNames& names) {
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
  text += seal.close(code_line(record.code));
  if (record.end) { text += seal.close(end_line(*record.end)); }
  return text;
}

}  // namespace assay
