#include "src/report/case_facts.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "src/problem/case_text.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

constexpr std::string_view kRepeatChecks[] = {"repeated_runs_give_the_same_bits",
                                              "dirty_memory_changes_nothing",
                                              "workspace_may_be_dirty_and_is_reusable",
                                              "concurrent_calls_do_not_meet",
                                              "graph_replay_follows_new_offsets",
                                              "rows_do_not_depend_on_the_batch",
                                              "expert_order_is_irrelevant"};

std::size_t size_class(Index rows) {
  constexpr Index kFirst[] = {0, 1, 2, 16, 32, 64, 128, 256, 1024};
  return static_cast<std::size_t>(std::upper_bound(std::begin(kFirst), std::end(kFirst), rows) -
                                  std::begin(kFirst) - 1);
}

std::size_t alignment_class(Index start) {
  constexpr Index kMultiples[] = {128, 64, 32, 16, 8, 2, 1};
  return static_cast<std::size_t>(
      std::find_if(std::begin(kMultiples), std::end(kMultiples),
                   [&](Index multiple) { return start % multiple == 0; }) -
      std::begin(kMultiples));
}

void count_ratio(RatioCounts& counts, const CaseRecord& one) {
  const double ratio = one.result.worst_ratio;
  if (ratio == 0) {
    ++counts.exact;
  } else if (!(ratio <= 1)) {
    ++counts.above;
  } else {
    ++counts.bins[std::min<Index>(kRatioBins - 1, static_cast<Index>(ratio * kRatioBins))];
  }
  if (counts.worst_case.empty() || !(ratio <= counts.worst)) {
    counts.worst = ratio;
    counts.worst_case = one.line;
  }
}

using Fractions = std::array<std::vector<double>, std::size(kTileHeights)>;
using Sums = std::array<Index, std::size(kTileHeights)>;

void add_fractions(const CaseSpec& spec, Fractions& fractions, Sums& tiled) {
  const Index real = total_rows(spec);
  if (real == 0) { return; }
  for (std::size_t i = 0; i < std::size(kTileHeights); ++i) {
    Index rows = 0;
    for (const Index count : spec.rows) { rows += align_up(count, kTileHeights[i]); }
    fractions[i].push_back(static_cast<double>(real) / static_cast<double>(rows));
    tiled[i] += rows;
  }
}

double quantile(const std::vector<double>& sorted, double at) {
  if (sorted.empty()) { return 0; }
  return sorted[static_cast<std::size_t>(at * static_cast<double>(sorted.size() - 1))];
}

void count_rows(const CaseSpec& spec, CaseSummary& summary) {
  const RowLayout layout = lay_out_rows(spec);
  CoverageGrid& grid = summary.coverage[std::string(name(spec.offsets.convention))];
  for (std::size_t expert = 0; expert < layout.starts.size(); ++expert) {
    ++grid[alignment_class(layout.starts[expert])][size_class(layout.counts[expert])];
    summary.rows_per_expert.push_back(layout.counts[expert]);
  }
}

}  // namespace

double CaseSummary::share_of_experts(Index rows) const {
  if (rows_per_expert.empty()) { return 0; }
  const auto [first, last] =
      std::equal_range(rows_per_expert.begin(), rows_per_expert.end(), rows, std::greater<>());
  return static_cast<double>(last - first) / static_cast<double>(rows_per_expert.size());
}

CaseSummary summarize(const RunRecord& record, const Registry& names) {
  CaseSummary summary;
  Fractions fractions;
  Sums tiled{};
  Index real = 0;
  const auto plan = plan_of(record.header, names);
  for (const auto& [job, one] : record.cases) {
    if (!is_judged(one.result.kind)) { continue; }
    const CaseSpec spec = *parse_case(one.line);
    const auto& facts = one.result.facts;
    count_ratio(summary.ratios[fmt::format("{} {} \u2192 {}", name(facts.pass),
                                           inputs_text(facts.in, facts.pass), name(facts.out))],
                one);
    count_rows(spec, summary);
    add_fractions(spec, fractions, tiled);
    real += total_rows(spec);
    ++summary.routings;
    const std::string_view check = plan ? plan->check(job).name : "";
    if (std::find(std::begin(kRepeatChecks), std::end(kRepeatChecks), check) ==
        std::end(kRepeatChecks)) {
      continue;
    }
    RepeatCounts& repeats = summary.repeats[std::string(check)][spec.tactic];
    ++(one.result.kind == VerdictKind::kPassed ? repeats.equal : repeats.different);
  }
  std::sort(summary.rows_per_expert.begin(), summary.rows_per_expert.end(), std::greater<>());
  for (std::size_t i = 0; i < std::size(kTileHeights); ++i) {
    std::sort(fractions[i].begin(), fractions[i].end());
    summary.useful[i] = {
        .tenth = quantile(fractions[i], 0.1),
        .median = quantile(fractions[i], 0.5),
        .nine_tenths = quantile(fractions[i], 0.9),
        .overall = tiled[i] > 0 ? static_cast<double>(real) / static_cast<double>(tiled[i]) : 0};
  }
  return summary;
}

}  // namespace assay
