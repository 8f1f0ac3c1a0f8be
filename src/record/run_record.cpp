#include "src/record/run_record.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "src/campaign/join_findings.h"
#include "src/core/dates.h"
#include "src/core/digest.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

// Cases of the shard that the record lacks although no finding excuses it.
Index missing_cases(const Plan& plan, const RunRecord& record) {
  Index missing = 0;
  for (const CheckJobs& check : plan.checks) {
    Index findings = 0;
    for (const Index job : check.jobs) {
      const bool enough = findings >= record.header.max_findings_per_check;
      if (enough && !record.header.keep_going) { break; }
      const auto found = record.cases.find(job);
      if (found == record.cases.end()) {
        ++missing;
      } else if (is_finding(found->second.result.kind)) {
        ++findings;
      }
    }
  }
  return missing;
}

std::string why_incomplete(const Plan& plan, const RunRecord& record) {
  if (record.header.version < 2) {
    return "a record of version 1 does not show that one run wrote all of it: run it again";
  }
  if (record.end && !record.end->cut_short.empty()) { return record.end->cut_short; }
  const Index missing = missing_cases(plan, record);
  if (missing > 0) {
    return fmt::format("{}{} of its cases are missing",
                       record.end ? "" : "the run did not end: ", missing);
  }
  return record.end ? "" : "the run did not end";
}

TallyRules rules_of(const Plan& plan, const RunRecord& record) {
  const RunHeader& header = record.header;
  TallyRules rules{.max_findings_per_check = header.max_findings_per_check,
                   .keep_going = header.keep_going,
                   .cut_short = why_incomplete(plan, record),
                   .whole_profile = plan.whole_profile,
                   .declared_passes = header.manifest.passes,
                   .waivers = header.waivers,
                   .today = std::string(date_of(header.started_at))};
  rules.part_of_run = part_of_run(header.shard);
  return rules;
}

// Failures that count, each as it was explained, or as it was met.
void add_findings(const Plan& plan, const RunRecord& record, Certification& certification) {
  for (const CheckJobs& check : plan.checks) {
    Index count = 0;
    for (const Index job : check.jobs) {
      const auto found = record.cases.find(job);
      if (found == record.cases.end() || !is_finding(found->second.result.kind)) { continue; }
      if (count++ == record.header.max_findings_per_check) { break; }
      const CaseSpec spec = *parse_case(found->second.line);
      certification.run.failures.push_back({check.check, job, spec, found->second.verdict});
    }
  }
  auto& failures = certification.run.failures;
  std::sort(failures.begin(), failures.end(),
            [](const Failure& a, const Failure& b) { return a.job < b.job; });
  for (const Failure& failure : failures) {
    const auto explained = record.findings.find(failure.job);
    certification.findings.push_back(explained == record.findings.end()
                                         ? as_met(record.header.kernel, failure)
                                         : explained->second);
  }
  certification.findings = join_findings(std::move(certification.findings));
}

}  // namespace

std::string record_path(const std::string& folder, const Artifact& artifact, const Shard& shard) {
  const std::string part = shard.whole() ? "" : fmt::format(".part{}of{}", shard.part, shard.parts);
  return fmt::format("{}/{}{}.results.jsonl", folder, artifact.name, part);
}

Result<Plan> plan_of(const RunHeader& header, const Registry& names) {
  return make_plan(
      header.profile, names, header.manifest,
      {.seed_shift = header.seed_shift, .filter = header.filter, .shard = header.shard});
}

Result<Certification> certification_of(const RunRecord& record, const Registry& names) {
  const RunHeader& header = record.header;
  const auto plan = plan_of(header, names);
  ASSAY_TRY(plan);
  std::vector<JobResult> results(plan->jobs.size());
  for (const auto& [job, one] : record.cases) {
    if (job >= static_cast<Index>(results.size())) {
      return make_error(fmt::format("job {} is past the {} cases of the run", job, results.size()));
    }
    results[job] = one.result;
  }
  Certification certification{
      .kernel = header.kernel,
      .profile = header.profile.name,
      .profile_certifies = header.profile.certifies(header.manifest.device)};
  ProfileRun& run = certification.run;
  const TallyRules rules = rules_of(*plan, record);
  run.manifest = header.manifest;
  run.tally = tally(plan->checks, results, rules);
  run.cut_short = rules.cut_short;
  run.shard = header.shard;
  run.code = record.code;
  run.whole_profile = plan->whole_profile;
  run.seconds = record.end ? record.end->seconds : 0;
  run.threads = record.end ? record.end->threads : 0;
  for (const CheckTally& check : run.tally.checks) {
    const auto line_of = [&](Index job) { return job < 0 ? "" : record.cases.at(job).line; };
    run.worst_cases.push_back(line_of(check.worst_job));
    run.worst_measured_cases.push_back(line_of(check.measured.worst_job));
  }
  add_findings(*plan, record, certification);
  return certification;
}

std::optional<std::string> difference(const RunHeader& a, const RunHeader& b) {
  const auto build = [](const Harness& harness) { return harness.version + " " + harness.sha256; };
  const std::tuple<std::string_view, std::string, std::string> words[] = {
      {"kernels", a.artifact.name, b.artifact.name},
      {"digests of the kernel", a.artifact.sha256, b.artifact.sha256},
      {"profiles", a.profile.name, b.profile.name},
      {"digests of the profile", a.profile.sha256, b.profile.sha256},
      {"seeds", fmt::to_string(a.seed_shift), fmt::to_string(b.seed_shift)},
      {"filters", a.filter, b.filter},
      {"limits of findings", fmt::to_string(a.max_findings_per_check),
       fmt::to_string(b.max_findings_per_check)},
      {"builds of assay", build(a.harness), build(b.harness)},
      {"GPUs", a.environment.gpu, b.environment.gpu}};
  for (const auto& [what, left, right] : words) {
    if (left != right) { return fmt::format("{} '{}' and '{}'", what, left, right); }
  }
  if (a.manifest.declared != b.manifest.declared) { return "manifests of the kernel"; }
  if (a.profile.lines != b.profile.lines) { return "lines of the profile"; }
  if (a.profile.own_cases != b.profile.own_cases) { return "cases of one's own"; }
  if (a.keep_going != b.keep_going) { return "options: only one of them has --keep-going"; }
  if (a.waivers != b.waivers) { return "waivers"; }
  return std::nullopt;
}

namespace {

// Of the parts' ids in the order of the parts, so that it does not depend on how they are named.
void name_merged(const std::vector<NamedRecord>& runs, RunHeader& merged) {
  std::map<Index, std::string> ids;
  for (const NamedRecord& run : runs) {
    ids.emplace(run.record.header.shard.part, run.record.header.run);
  }
  if (ids.size() == 1) { return; }
  std::string all;
  for (const auto& [part, id] : ids) {
    merged.merged_from.push_back(id);
    all += id;
  }
  merged.run = sha256_hex(all).substr(0, merged.run.size());
}

}  // namespace

Result<RunRecord> merge_runs(const std::vector<NamedRecord>& runs, const Registry& names) {
  RunRecord merged;
  merged.header = runs.front().record.header;
  name_merged(runs, merged.header);
  merged.header.shard = {};
  merged.end = RunEnd{};
  const auto plan = plan_of(merged.header, names);
  ASSAY_TRY(plan);
  for (const auto& [file, run] : runs) {
    if (const auto why = difference(runs.front().record.header, run.header)) {
      return make_error(
          fmt::format("{} and {} are not one run: different {}", runs.front().file, file, *why));
    }
    if (run.header.version < 2) {
      return make_error(
          fmt::format("{}: a record of version 1, whose lines do not name their run", file));
    }
    if (const auto why = contradiction(merged.code, run.code)) {
      return make_error(
          fmt::format("{} and {} are not one run: different {}", runs.front().file, file, *why));
    }
    merged.code = joined(merged.code, run.code);
    if (!run.end || !run.end->cut_short.empty()) {
      return make_error(fmt::format("{}: the run did not end{}; `assay certify --resume` goes on",
                                    file, run.end ? " (" + run.end->cut_short + ")" : ""));
    }
    for (const auto& [job, one] : run.cases) {
      if (job >= static_cast<Index>(plan->jobs.size()) ||
          one.line != canonical_text(plan->draw(job, merged.header.manifest))) {
        return make_error(fmt::format("{}: job {} is not what the profile draws", file, job));
      }
      if (!merged.cases.emplace(job, one).second) {
        return make_error(fmt::format("{}: job {} is in another of the runs too", file, job));
      }
    }
    merged.findings.insert(run.findings.begin(), run.findings.end());
    merged.header.started_at = std::min(merged.header.started_at, run.header.started_at);
    merged.end->finished_at = std::max(merged.end->finished_at, run.end->finished_at);
    merged.end->seconds += run.end->seconds;
    merged.end->threads = std::max(merged.end->threads, run.end->threads);
  }
  return merged;
}

}  // namespace assay
