#include "src/campaign/plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/campaign/pattern.h"
#include "src/core/text.h"

namespace assay {
namespace {

Result<std::vector<ProfileLine>> filtered(const Profile& profile, const std::string& filter) {
  if (filter.empty()) { return profile.lines; }
  const auto pattern = Pattern::parse("--filter", filter);
  ASSAY_TRY(pattern);
  std::vector<ProfileLine> lines;
  for (const ProfileLine& line : profile.lines) {
    if (pattern->is_found_in(line.check)) { lines.push_back(line); }
  }
  if (!lines.empty()) { return lines; }
  std::vector<std::string> allowed;
  for (const ProfileLine& line : profile.lines) {
    if (allowed.empty() || allowed.back() != line.check) { allowed.push_back(line.check); }
  }
  return make_error(fmt::format("--filter '{}' matches no check of profile {}; its checks: {}",
                                filter, profile.name, fmt::join(allowed, ", ")));
}

// The checks in the profile's order, with what excludes them.
std::vector<CheckJobs> checks_of(const std::vector<ProfileLine>& lines, const Registry& names,
                                 const Manifest& manifest) {
  std::vector<CheckJobs> checks;
  for (const ProfileLine& line : lines) {
    const Check* check = names.check(line.check);
    const auto same = [&](const CheckJobs& row) { return row.check == check; };
    if (std::any_of(checks.begin(), checks.end(), same)) { continue; }
    checks.push_back({.check = check});
    if (check->not_applicable) { checks.back().not_applicable = check->not_applicable(manifest); }
  }
  return checks;
}

}  // namespace

std::vector<Job> interleave(const std::vector<ProfileLine>& lines) {
  std::vector<Job> jobs;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (Index index = 0; index < lines[line].count; ++index) {
      jobs.push_back({static_cast<int>(line), index});
    }
  }
  // index / count, compared without rounding: the first case of every line comes before any second
  // one, so that a mistake which few cases can show is met early, too.
  std::stable_sort(jobs.begin(), jobs.end(), [&](const Job& a, const Job& b) {
    return a.index * lines[b.line].count < b.index * lines[a.line].count;
  });
  return jobs;
}

std::optional<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) { return std::nullopt; }
  const auto part = parse_index(text.substr(0, slash)), parts = parse_index(text.substr(slash + 1));
  if (!part || !parts || *part < 1 || *part > *parts) { return std::nullopt; }
  return Shard{*part, *parts};
}

std::string part_of_run(const Shard& shard) {
  return shard.whole() ? ""
                       : fmt::format("part {} of {}: `assay merge` puts the parts together",
                                     shard.part, shard.parts);
}

CaseSpec Plan::draw(Index job, const Manifest& manifest) const {
  const Job& drawn = jobs[job];
  const auto line = static_cast<std::size_t>(drawn.line);
  if (generator_of_line[line] == nullptr) { return own_cases[drawn.index]; }
  return nth_case(*generator_of_line[line], *check_of_line[line], manifest,
                  case_seed(lines[line], seed_shift), drawn.index);
}

const Check& Plan::check(Index job) const {
  return *check_of_line[jobs[static_cast<std::size_t>(job)].line];
}

Result<Plan> make_plan(const Profile& profile, const Registry& names, const Manifest& manifest,
                       const PlanOptions& options) {
  const auto lines = filtered(profile, options.filter);
  ASSAY_TRY(lines);
  if (profile.device != "any" && profile.device != manifest.device) {
    return make_error(fmt::format("profile '{}' is for {} kernels, '{}' is one for {}",
                                  profile.name, profile.device, manifest.name, manifest.device));
  }
  Plan plan{
      .own_cases = profile.own_cases,
      .checks = checks_of(*lines, names, manifest),
      .seed_shift = options.seed_shift,
      .shard = options.shard,
      .whole_profile = options.filter.empty() && options.seed_shift == 0 && options.shard.whole()};
  for (const ProfileLine& line : *lines) {
    const Check* check = names.check(line.check);
    const auto row = std::find_if(plan.checks.begin(), plan.checks.end(),
                                  [&](const CheckJobs& other) { return other.check == check; });
    const Generator* generator = names.generator(line.generator);
    const bool drawn =
        generator == nullptr || generator->applies == nullptr || generator->applies(manifest);
    if (row->not_applicable || !drawn) { continue; }
    plan.lines.push_back(line);
    plan.check_of_line.push_back(check);
    plan.generator_of_line.push_back(generator);
    plan.row_of_line.push_back(static_cast<int>(row - plan.checks.begin()));
  }
  plan.jobs = interleave(plan.lines);
  for (std::size_t job = 0; job < plan.jobs.size(); ++job) {
    if (!plan.shard.holds(static_cast<Index>(job))) { continue; }
    const auto line = static_cast<std::size_t>(plan.jobs[job].line);
    plan.checks[plan.row_of_line[line]].jobs.push_back(static_cast<Index>(job));
  }
  return plan;
}

}  // namespace assay
