#include "src/campaign/tally.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "src/campaign/open_checks.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

using Hash = std::array<std::uint64_t, 2>;

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}

Hash hash_of(const std::string& text) {
  Hash state{0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu};
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    state[0] = (state[0] ^ byte) * 0x100000001b3u;
    state[1] = mix(state[1] + byte);
  }
  return state;
}

std::string format_cell(const CaseFacts& facts) {
  return fmt::format("{} {} -> {}", name(facts.pass), inputs_text(facts.in, facts.pass),
                     name(facts.out));
}

int at(VerdictKind kind) { return static_cast<int>(kind); }
int at(Pass pass) { return static_cast<int>(pass); }

template <class Measure>
void keep_larger(std::optional<CaseSizes>& kept, const CaseSizes& sizes, Measure measure) {
  if (!kept || measure(sizes) > measure(*kept)) { kept = sizes; }
}

void widen_jointly(Domain& domain, const CaseFacts& facts) {
  using Sizes = const CaseSizes&;
  const CaseSizes sizes{facts.experts, facts.rows, facts.k, facts.n};
  keep_larger(domain.largest_k_n, sizes, [](Sizes s) { return s.k * s.n; });
  keep_larger(domain.largest_rows_k, sizes, [](Sizes s) { return s.rows * s.k; });
  keep_larger(domain.largest_rows_n, sizes, [](Sizes s) { return s.rows * s.n; });
  keep_larger(domain.largest_rows_experts, sizes, [](Sizes s) { return s.rows * s.experts; });
  keep_larger(domain.most_experts, sizes, [](Sizes s) { return s.experts; });
}

void widen(Domain& domain, const CaseFacts& facts) {
  ++domain.cases[at(facts.pass)];
  ++domain.formats[format_cell(facts)];
  ++domain.conventions[name(facts.offsets)];
  ++domain.weights[std::string(name(facts.weights))];
  ++domain.fills[std::string(name(facts.fill))];
  ++domain.tactics[facts.tactic];
  if (facts.many_tiles) { ++domain.many_tiles[facts.tactic]; }
  if (facts.accumulates) { ++domain.accumulating; }
  if (facts.biased) { ++domain.biased; }
  domain.experts.take(facts.experts);
  domain.rows.take(facts.rows);
  domain.k.take(facts.k);
  domain.n.take(facts.n);
  domain.products.take(facts.products);
  widen_jointly(domain, facts);
}

// A cell (pass, in, out) in which cases were judged but none could be trusted.
std::string untrusted_cell(const std::vector<const JobResult*>& results) {
  std::map<std::string, std::pair<Index, Index>> cells;  // trusted, inconclusive
  for (const JobResult* result : results) {
    if (is_judged(result->kind)) { ++cells[format_cell(result->facts)].first; }
    if (result->kind == VerdictKind::kInconclusive) { ++cells[format_cell(result->facts)].second; }
  }
  for (const auto& [cell, counts] : cells) {
    if (counts.first == 0 && counts.second > 0) {
      return fmt::format("no trusted case of {} ({} inconclusive)", cell, counts.second);
    }
  }
  return {};
}

std::string first_reason(const std::vector<const JobResult*>& results) {
  for (const JobResult* result : results) {
    if (!result->reason.empty()) { return result->reason; }
  }
  return "no reason given";
}

std::string why_not_run(const CheckTally& tally, const std::vector<const JobResult*>& results) {
  if (tally.drawn == 0) { return "the profile gives it no case"; }
  if (results.empty()) { return "no case was reached before the run was cut short"; }
  return fmt::format("none of {} cases was judged: {}", results.size(), tally.not_judged);
}

// Such a check passes no kernel, whatever it measures.
void conclude_measuring(CheckTally& tally, const std::vector<const JobResult*>& results) {
  if (tally.measured.cases > 0) {
    tally.verdict = VerdictKind::kMeasured;
    return;
  }
  tally.verdict = VerdictKind::kNotRun;
  tally.reason =
      "not measured: " + (results.empty() ? why_not_run(tally, results) : first_reason(results));
}

void conclude(CheckTally& tally, const std::vector<const JobResult*>& results, bool cut_short) {
  for (const JobResult* result : results) {
    if (is_finding(result->kind)) {
      tally.verdict = result->kind;
      return;
    }
  }
  const Index not_applicable = tally.kinds[at(VerdictKind::kNotApplicable)];
  if (not_applicable > 0 && not_applicable == static_cast<Index>(results.size())) {
    tally.verdict = VerdictKind::kNotApplicable;
    tally.reason = first_reason(results);
    return;
  }
  const auto lost = std::ranges::find(results, VerdictKind::kNotRun, &JobResult::kind);
  if (lost != results.end()) { tally.not_judged = (*lost)->reason; }
  if (tally.check->measures) { return conclude_measuring(tally, results); }
  if (tally.cases == 0) {
    if (!results.empty()) { tally.not_judged = first_reason(results); }
    tally.verdict = tally.kinds[at(VerdictKind::kInconclusive)] > 0 ? VerdictKind::kInconclusive
                                                                    : VerdictKind::kNotRun;
    tally.reason = why_not_run(tally, results);
    return;
  }
  tally.reason = untrusted_cell(results);
  const bool all_reached = std::ssize(results) + tally.left_out >= tally.drawn;
  if (tally.reason.empty() && !all_reached && cut_short) {
    tally.reason = "not all of its cases were reached before the run was cut short";
  }
  tally.verdict = tally.reason.empty() ? VerdictKind::kPassed : VerdictKind::kInconclusive;
}

// The results that count: in order, none after the check's last finding, none that did not run.
std::vector<const JobResult*> counted(const CheckJobs& check, const std::vector<JobResult>& results,
                                      const TallyRules& rules, CheckTally& tally) {
  std::vector<const JobResult*> counted;
  std::vector<JobFigure> figures;
  Index findings = 0;
  for (const Index job : check.jobs) {
    if (rules.last_job >= 0 && job > rules.last_job) { break; }
    if (!rules.keep_going && findings >= rules.max_findings_per_check) {
      ++tally.left_out;
      continue;
    }
    const JobResult& result = results[job];
    if (!result.ran) { continue; }
    counted.push_back(&result);
    if (is_finding(result.kind)) { ++findings; }
    if (result.measured) { figures.push_back({job, *result.measured}); }
    if (is_judged(result.kind) && (tally.worst_job < 0 || result.worst_ratio > tally.worst_ratio)) {
      tally.worst_ratio = result.worst_ratio;
      tally.worst_job = job;
    }
  }
  if (check.check->measures) {
    tally.measured = measured_over(figures, check.check->measures->worse);
  }
  return counted;
}

CheckTally tally_check(const CheckJobs& check, const std::vector<JobResult>& results,
                       const TallyRules& rules, std::set<Hash>& seen, Tally& whole) {
  CheckTally tally{.check = check.check, .drawn = static_cast<Index>(check.jobs.size())};
  if (check.not_applicable) {
    tally.verdict = VerdictKind::kNotApplicable;
    tally.reason = *check.not_applicable;
    return tally;
  }
  std::set<Hash> own;
  const auto mine = counted(check, results, rules, tally);
  for (const JobResult* result : mine) {
    ++tally.kinds[at(result->kind)];
    ++whole.kinds[at(result->kind)];
    tally.runs += result->runs;
    tally.seconds += result->seconds;
    ++whole.domain.drawn[at(result->facts.pass)];
    if (!is_judged(result->kind)) { continue; }
    if (own.insert(result->facts.line_hash).second) { ++tally.cases; }
    if (seen.insert(result->facts.line_hash).second) { widen(whole.domain, result->facts); }
  }
  whole.runs += tally.runs;
  // A part of a run is not cut short: the others have what it lacks.
  conclude(tally, mine, !rules.cut_short.empty() && rules.part_of_run.empty());
  return tally;
}

void require_coverage(Tally& whole, const TallyRules& rules) {
  for (std::string& line : why_open(whole.checks)) {
    whole.incomplete_because.push_back(std::move(line));
  }
  const auto has_verdict = [](const CheckTally& check) {
    return check.verdict == VerdictKind::kPassed || is_finding(check.verdict);
  };
  if (whole.incomplete_because.empty() && std::ranges::none_of(whole.checks, has_verdict)) {
    whole.incomplete_because.emplace_back("no check passed or failed");
  }
  if (!rules.whole_profile) { return; }
  for (const Pass pass : rules.declared_passes) {
    const Index judged = whole.domain.cases[at(pass)], drawn = whole.domain.drawn[at(pass)];
    if (judged == 0 || judged * 10 < drawn) {
      whole.incomplete_because.push_back(
          fmt::format("declared pass {}: {} of {} cases judged, a tenth is required", name(pass),
                      judged, drawn));
    }
  }
}

// A waiver lets a failure through; one that is out of date, or of a check that passes, is a failure
// of its own.
void waive(Tally& whole, const TallyRules& rules) {
  for (const Waiver& waiver : rules.waivers) {
    const auto check =
        std::find_if(whole.checks.begin(), whole.checks.end(),
                     [&](const CheckTally& row) { return row.check->name == waiver.check; });
    if (check == whole.checks.end()) { continue; }
    if (waiver.until < rules.today) {
      whole.broken_waivers.push_back(
          fmt::format("{}: its waiver ended on {}", waiver.check, waiver.until));
    } else if (check->verdict == VerdictKind::kPassed && rules.part_of_run.empty()) {
      whole.broken_waivers.push_back(
          fmt::format("{}: waived, but it passes: remove the waiver", waiver.check));
    } else if (check->verdict == VerdictKind::kMeasured && rules.part_of_run.empty()) {
      whole.broken_waivers.push_back(
          fmt::format("{}: waived, but it only measures: remove the waiver", waiver.check));
    } else if (is_finding(check->verdict)) {
      check->waiver = waiver;
    }
  }
}

}  // namespace

Index CheckTally::failed_cases() const {
  return kinds[at(VerdictKind::kFailed)] + kinds[at(VerdictKind::kCrashed)] +
         kinds[at(VerdictKind::kHung)];
}

Index CheckTally::counted_cases() const {
  return std::accumulate(kinds.begin(), kinds.end(), Index{0});
}

Index Tally::waived() const {
  return std::count_if(checks.begin(), checks.end(),
                       [](const CheckTally& check) { return check.waiver.has_value(); });
}

Index Tally::count(VerdictKind verdict) const {
  return std::ranges::count(checks, verdict, &CheckTally::verdict);
}

CaseFacts facts_of(const CaseSpec& spec) {
  CaseFacts facts{.pass = spec.pass,
                  .in = spec.in,
                  .out = spec.out,
                  .offsets = spec.offsets,
                  .weights = spec.weights,
                  .fill = spec.fill,
                  .tactic = spec.tactic,
                  .accumulates = spec.acc > 0,
                  .biased = spec.bias.has_value(),
                  .experts = spec.experts(),
                  .rows = total_rows(spec),
                  .k = spec.k,
                  .n = spec.n,
                  .products = multiply_adds(spec)};
  facts.line_hash = hash_of(canonical_text(spec));
  return facts;
}

bool has_many_tiles(const CaseSpec& spec, const Manifest& manifest) {
  if (manifest.tiles.empty()) { return false; }
  DeclaredTile most{"", 1, 1, 1};
  for (const DeclaredTile& tile : manifest.tiles) {
    most.m = std::max(most.m, tile.m);
    most.n = std::max(most.n, tile.n);
    most.k = std::max(most.k, tile.k);
  }
  const AxisSizes tile = tile_along_axes(most, spec.pass);
  const bool rows = std::any_of(spec.rows.begin(), spec.rows.end(),
                                [&](Index count) { return count > 2 * tile.rows; });
  return rows && spec.k > 2 * tile.k && spec.n > 2 * tile.n;
}

bool is_finding(VerdictKind kind) {
  return kind == VerdictKind::kFailed || kind == VerdictKind::kCrashed ||
         kind == VerdictKind::kHung;
}

bool is_judged(VerdictKind kind) {
  return kind == VerdictKind::kPassed || kind == VerdictKind::kMeasured || is_finding(kind);
}

std::string_view name(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::kPassed:
      return "Passed";
    case Conclusion::kFailed:
      return "Failed";
    case Conclusion::kIncomplete:
      return "Incomplete";
  }
  return "?";
}

Tally tally(const std::vector<CheckJobs>& checks, const std::vector<JobResult>& results,
            const TallyRules& rules) {
  Tally whole;
  std::set<Hash> seen;
  for (const CheckJobs& check : checks) {
    whole.checks.push_back(tally_check(check, results, rules, seen, whole));
  }
  if (!rules.cut_short.empty()) { whole.incomplete_because.push_back(rules.cut_short); }
  if (rules.part_of_run.empty()) {
    require_coverage(whole, rules);
  } else {
    whole.incomplete_because.push_back(rules.part_of_run);
  }
  waive(whole, rules);
  const bool failed = !whole.broken_waivers.empty() ||
                      std::any_of(whole.checks.begin(), whole.checks.end(),
                                  [](const CheckTally& check) { return check.fails(); });
  whole.conclusion = failed                             ? Conclusion::kFailed
                     : whole.incomplete_because.empty() ? Conclusion::kPassed
                                                        : Conclusion::kIncomplete;
  return whole;
}

}  // namespace assay
