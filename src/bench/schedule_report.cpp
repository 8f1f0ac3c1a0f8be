#include "src/bench/schedule_report.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include "src/bench/bench_case.h"
#include "src/core/require.h"
#include "src/kernels/schedule/tile_walk.h"

namespace assay {
namespace {

Index sum_of(const std::vector<Index>& rows) {
  return std::accumulate(rows.begin(), rows.end(), Index{0});
}

Index tiles_of_rows(const std::vector<Index>& rows, Index cols, const TileShape& tile) {
  GroupArrays counts;
  counts.convention = ASSAY_OFFSETS_COUNTS;
  counts.experts = static_cast<Index>(rows.size());
  counts.rows = sum_of(rows);
  counts.offsets = {rows.data(), counts.experts, true};
  return count_tiles(counts, {true, 0, cols}, tile);
}

// 22016 as 22,016.
std::string grouped(Index number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<Index>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

struct Line {
  std::string_view label;
  std::function<std::string(const ScheduleReport&)> cell;
};

const Line kLines[] = {
    {"tile", [](const auto& r) { return fmt::format("{}x{}", r.tile.m, r.tile.n); }},
    {"row blocks", [](const auto& r) { return grouped(r.row_blocks); }},
    {"tiles", [](const auto& r) { return grouped(r.tiles); }},
    {"waves", [](const auto& r) { return fmt::format("{:.2f}", r.waves); }},
    {"waves, rounded up", [](const auto& r) { return grouped(r.whole_waves); }},
    {"computed rows", [](const auto& r) { return grouped(r.computed_rows); }},
    {"useful rows", [](const auto& r) { return fmt::format("{:.0f} %", 100 * r.useful_rows); }},
    {"tiles if even", [](const auto& r) { return grouped(r.even_tiles); }},
    {"waves if even", [](const auto& r) { return fmt::format("{:.2f}", r.even_waves); }},
    {"relative cost", [](const auto& r) { return fmt::format("{:.2f}", r.relative_cost); }},
};

}  // namespace

ScheduleReport analyse_schedule(const ScheduleQuestion& question, const TileShape& tile) {
  ASSAY_REQUIRE(tile.m >= 1 && tile.n >= 1 && question.sms >= 1, tile.m, tile.n, question.sms);
  ScheduleReport report;
  report.tile = tile;
  // One column block: what is left is the row blocks.
  report.row_blocks = tiles_of_rows(question.rows, 1, {tile.m, 1, 1});
  report.tiles = tiles_of_rows(question.rows, question.n, tile);
  report.even_tiles = tiles_of_rows(spread_evenly(question.rows), question.n, tile);
  const auto sms = static_cast<double>(question.sms);
  report.waves = static_cast<double>(report.tiles) / sms;
  report.whole_waves = blocks_of(report.tiles, question.sms);
  report.even_waves = static_cast<double>(report.even_tiles) / sms;
  report.real_rows = sum_of(question.rows);
  report.computed_rows = report.row_blocks * tile.m;
  report.useful_rows = report.computed_rows == 0 ? 1
                                                 : static_cast<double>(report.real_rows) /
                                                       static_cast<double>(report.computed_rows);
  report.relative_cost = report.even_tiles == 0 ? 1
                                                : static_cast<double>(report.tiles) /
                                                      static_cast<double>(report.even_tiles);
  return report;
}

std::string schedule_table(const ScheduleQuestion& question,
                           std::span<const ScheduleReport> reports) {
  const Index rows = sum_of(question.rows);
  const double gflop = 2e-9 * static_cast<double>(rows) * static_cast<double>(question.k) *
                       static_cast<double>(question.n);
  std::string table =
      fmt::format("{} rows over {} experts, k {}, n {}, {} SMs, {:.3g} GFLOP\n", grouped(rows),
                  question.rows.size(), question.k, question.n, question.sms, gflop);
  for (const Line& line : kLines) {
    fmt::format_to(std::back_inserter(table), "{:<18}", line.label);
    for (const ScheduleReport& report : reports) {
      fmt::format_to(std::back_inserter(table), "{:>12}", line.cell(report));
    }
    table += '\n';
  }
  return table;
}

}  // namespace assay
