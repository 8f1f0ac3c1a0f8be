#include "src/record/run_writer.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "src/core/file.h"
#include "src/problem/case_text.h"
#include "src/record/code_json.h"
#include "src/record/record_lines.h"

namespace assay {
namespace {

constexpr std::size_t kQuotedDigits = 12;  // of a digest

}  // namespace

Status RunWriter::append(const std::string& object) {
  const std::string line = seal_.close(object);
  if (path_.empty()) {
    kept_ += line;
    return {};
  }
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t wrote = ::write(file_.descriptor(), line.data() + done, line.size() - done);
    if (wrote < 0 && errno == EINTR) { continue; }
    if (wrote <= 0) {
      return make_error(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
    }
    done += static_cast<std::size_t>(wrote);
  }
  return {};
}

Status RunWriter::open_anew() {
  header_.run = new_run_id();
  seal_ = LineSeal(header_.run);
  if (!path_.empty() && ::ftruncate(file_.descriptor(), 0) != 0) {
    return make_error(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
  }
  return append(header_line(header_));
}

Result<std::vector<KnownCase>> RunWriter::go_on(const std::string& text) {
  auto record = parse_run(text, path_, names_, TornLine::kDrop);
  ASSAY_TRY(record);
  if (record->header.version < kRecordVersion) {
    return make_error(fmt::format("{} is a record of version {}, which cannot be continued", path_,
                                  record->header.version));
  }
  if (const auto why = difference(record->header, header_)) {
    return make_error(fmt::format(
        "{} is another run's: different {}; without --resume it is replaced", path_, *why));
  }
  if (!(record->header.shard == header_.shard)) {
    return make_error(fmt::format("{} is part {} of {}: --shard must say the same", path_,
                                  record->header.shard.part, record->header.shard.parts));
  }
  std::vector<KnownCase> known;
  for (const auto& [job, one] : record->cases) {
    if (job >= static_cast<Index>(plan_.jobs.size()) ||
        one.line != canonical_text(plan_.draw(job, header_.manifest))) {
      return make_error(fmt::format("{}: job {} is not what the profile draws", path_, job));
    }
    known.push_back({job, one.result, one.verdict});
  }
  known_findings_ = std::move(record->findings);
  earlier_code_ = std::move(record->code);
  earlier_seconds_ = record->end ? record->end->seconds : 0;
  header_.run = record->header.run;
  seal_ = record->seal;
  const auto whole = static_cast<off_t>(text.rfind('\n') + 1);
  if (::ftruncate(file_.descriptor(), whole) != 0) {
    return make_error(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
  }
  return known;
}

Result<std::vector<KnownCase>> RunWriter::begin(const Manifest& manifest, const DeviceFacts& device,
                                                const Plan& plan) {
  plan_ = plan;
  header_.manifest = manifest;
  header_.waivers = waivers_of(header_.waivers, manifest.name);
  header_.harness = this_harness();
  header_.environment = this_environment(device);
  header_.started_at = utc_now();
  std::error_code error;
  const bool goes_on = resume_ && std::filesystem::exists(path_, error);
  const bool whole = header_.shard.whole();
  if (whole && hooks_.may_begin) { ASSAY_TRY(hooks_.may_begin(header_, plan)); }
  if (!path_.empty()) {
    auto lock = RecordLock::take(path_);
    ASSAY_TRY(lock);
    file_ = std::move(*lock);
  }
  if (whole && hooks_.begins) { ASSAY_TRY(hooks_.begins(header_)); }
  if (goes_on) {
    const auto text = read_file(path_);
    ASSAY_TRY(text);
    return go_on(*text);
  }
  ASSAY_TRY(open_anew());
  return std::vector<KnownCase>{};
}

Status RunWriter::judged(Index job, const CaseSpec& spec, const JobResult& result,
                         const Verdict& verdict) {
  return append(case_line(job, plan_.check(job), {canonical_text(spec), result, verdict}));
}

Status RunWriter::loaded(const CodeList& code) {
  if (const auto why = contradiction(earlier_code_, code)) {
    return make_error(fmt::format(
        "{} is another run's: different {}; without --resume it is replaced", path_, *why));
  }
  return append(code_text(joined(earlier_code_, code)));
}

const Finding* RunWriter::known_finding(Index job) const {
  const auto found = known_findings_.find(job);
  return found == known_findings_.end() ? nullptr : &found->second;
}

Status RunWriter::explained(Index job, const Finding& finding) {
  return append(finding_line(job, finding));
}

// Workers load the kernel again and again: one that was built anew meanwhile is none that the
// digest names.
Status RunWriter::require_same_artifact() const {
  const auto now = artifact_of(header_.kernel);
  if (!now || now->sha256 == header_.artifact.sha256) { return {}; }
  return make_error(
      fmt::format("kernel '{}' was replaced while it was tested: its sha256 was {}..., now it is "
                  "{}...; this run says nothing about either, run it again",
                  header_.kernel, header_.artifact.sha256.substr(0, kQuotedDigits),
                  now->sha256.substr(0, kQuotedDigits)));
}

Result<RunRecord> RunWriter::record() const {
  if (path_.empty()) { return parse_run(kept_, "the record in memory", names_); }
  const auto text = read_file(path_);
  ASSAY_TRY(text);
  return parse_run(*text, path_, names_);
}

Status RunWriter::ended(const ProfileRun& run) {
  ASSAY_TRY(require_same_artifact());
  return append(end_line({.finished_at = utc_now(),
                          .seconds = run.seconds + earlier_seconds_,
                          .threads = run.threads,
                          .cut_short = run.cut_short}));
}

}  // namespace assay
