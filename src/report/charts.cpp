// The pictures of a report.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "src/report/html.h"
#include "src/report/sections.h"

namespace assay {
namespace {

constexpr double kLeft = 44, kBottom = 30;  // margins of a chart

double log_height(Index count, Index most, double height) {
  return count == 0 ? 0
                    : height * (0.15 + 0.85 * std::log1p(static_cast<double>(count)) /
                                           std::log1p(static_cast<double>(most)));
}

std::string ratio_figure(const std::string& cell, const RatioCounts& counts) {
  constexpr double kWidth = 320, kHeight = 150, kTop = 14;
  constexpr double kFloor = kHeight - kBottom, kRoom = kFloor - kTop;
  constexpr double kBar = (kWidth - kLeft - 10) / (kRatioBins + 4);  // exact, a gap, bins, above
  const Index most = std::max(
      {counts.exact, counts.above, *std::max_element(counts.bins.begin(), counts.bins.end())});
  std::string svg = svg_line(kLeft, kFloor, kWidth - 4, kFloor, "axis");
  const auto bar = [&](double slot, Index count, std::string_view css, const std::string& tip) {
    if (count == 0) { return; }
    const double height = log_height(count, most, kRoom);
    svg += svg_rect(kLeft + slot * kBar + 0.5, kFloor - height, kBar - 1, height, css,
                    fmt::format("{}: {} cases", tip, count));
  };
  bar(0, counts.exact, "exact", "no error");
  for (int bin = 0; bin < kRatioBins; ++bin) {
    bar(1.5 + bin, counts.bins[bin], "bar",
        fmt::format("{:.2f} to {:.2f}", static_cast<double>(bin) / kRatioBins,
                    static_cast<double>(bin + 1) / kRatioBins));
  }
  bar(2.2 + kRatioBins, counts.above, "over", "above the bound");
  const double one = kLeft + (1.5 + kRatioBins) * kBar;
  svg += svg_line(one, kTop - 8, one, kFloor + 4, "limit");
  svg += svg_text(kLeft + kBar / 2, kFloor + 14, "middle", "0");
  svg += svg_text(kLeft + (1.5 + kRatioBins / 2.0) * kBar, kFloor + 14, "middle", "0.5");
  svg += svg_text(one, kFloor + 14, "middle", "1", "limit-label");
  svg += svg_text(kLeft - 4, kTop + 6, "end", grouped_digits(most));
  svg += svg_text((kWidth + kLeft) / 2, kHeight - 3, "middle", "error over bound");
  Index cases = counts.exact + counts.above;
  for (const Index count : counts.bins) { cases += count; }
  return html_figure(
      {.title = cell,
       .description = fmt::format("{}: {} cases, {} without any error, {} above the "
                                  "bound; worst {:.3g}",
                                  cell, grouped_digits(cases), grouped_digits(counts.exact),
                                  counts.above, counts.worst),
       .width = kWidth,
       .height = kHeight,
       .content = svg});
}

std::string useful_figure(const CaseSummary& summary) {
  constexpr double kWidth = 480, kHeight = 230, kTop = 10;
  constexpr double kFloor = kHeight - kBottom;
  constexpr std::size_t kCount = std::size(kTileHeights);
  const auto x = [&](std::size_t i) {
    return kLeft + 16 + (kWidth - kLeft - 40) * static_cast<double>(i) / (kCount - 1);
  };
  const auto y = [&](double share) { return kFloor - (kFloor - kTop) * share; };
  std::string svg;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    svg += svg_line(kLeft, y(share), kWidth - 4, y(share), "axis");
    svg += svg_text(kLeft - 4, y(share) + 4, "end", fmt::format("{:.0f} %", 100 * share));
  }
  std::vector<std::pair<double, double>> band, median, overall;
  for (std::size_t i = 0; i < kCount; ++i) {
    band.emplace_back(x(i), y(summary.useful[i].nine_tenths));
    median.emplace_back(x(i), y(summary.useful[i].median));
    overall.emplace_back(x(i), y(summary.useful[i].overall));
    svg += svg_text(x(i), kFloor + 14, "middle", fmt::format("{}", kTileHeights[i]));
  }
  for (std::size_t i = kCount; i-- > 0;) { band.emplace_back(x(i), y(summary.useful[i].tenth)); }
  svg += svg_path(band, "band") + svg_path(median, "curve") + svg_path(overall, "thin");
  svg += svg_text((kWidth + kLeft) / 2, kHeight - 3, "middle", "rows of a tile");
  const UsefulRows& least = summary.useful.front();
  const UsefulRows& most = summary.useful.back();
  return html_figure(
      {.title = "Useful rows against tile height",
       .description = fmt::format("Share of rows in whole tiles that are real rows: thick line the "
                                  "median case ({} at {} rows, {} at {}), band from the tenth to "
                                  "the ninetieth percentile, thin line all cases together",
                                  percent(least.median), kTileHeights[0], percent(most.median),
                                  kTileHeights[kCount - 1]),
       .width = kWidth,
       .height = kHeight,
       .content = svg});
}

std::string rows_figure(const CaseSummary& summary) {
  constexpr double kWidth = 480, kHeight = 230, kTop = 10;
  constexpr double kFloor = kHeight - kBottom;
  constexpr std::size_t kPoints = 240;
  const std::vector<Index>& rows = summary.rows_per_expert;
  const double most = std::log2(1.0 + static_cast<double>(std::max<Index>(1, rows.front())));
  const auto y = [&](Index count) {
    return kFloor - (kFloor - kTop) * std::log2(1.0 + static_cast<double>(count)) / most;
  };
  std::string svg;
  for (Index mark = 1; mark <= rows.front(); mark *= 8) {
    svg += svg_line(kLeft, y(mark), kWidth - 4, y(mark), "axis");
    svg += svg_text(kLeft - 4, y(mark) + 4, "end", fmt::format("{}", mark));
  }
  svg += svg_line(kLeft, kFloor, kWidth - 4, kFloor, "axis");
  std::vector<std::pair<double, double>> curve;
  for (std::size_t i = 0; i <= kPoints; ++i) {
    curve.emplace_back(
        kLeft + (kWidth - kLeft - 6) * static_cast<double>(i) / static_cast<double>(kPoints),
        y(rows[i * (rows.size() - 1) / kPoints]));
  }
  svg += svg_path(curve, "curve");
  svg += svg_text((kWidth + kLeft) / 2, kHeight - 3, "middle",
                  "experts of all cases, most rows first");
  return html_figure(
      {.title = "Rows of each expert",
       .description =
           fmt::format("{} experts in {} routings, sorted by rows (logarithmic): the "
                       "largest has {}, {} are empty, {} have a single row",
                       grouped_digits(static_cast<long long>(rows.size())),
                       grouped_digits(summary.routings), grouped_digits(rows.front()),
                       percent(summary.share_of_experts(0)), percent(summary.share_of_experts(1))),
       .width = kWidth,
       .height = kHeight,
       .content = svg});
}

std::string_view heat_of(Index count) {
  return count >= 1000 ? "cell4" : count >= 100 ? "cell3" : count >= 10 ? "cell2" : "cell1";
}

std::string coverage_figure(const std::string& convention, const CoverageGrid& grid) {
  constexpr std::size_t kColumns = std::size(kSizeClasses), kRows = std::size(kAlignmentClasses);
  constexpr double kWidth = 340, kCellWidth = (kWidth - 42) / kColumns, kCellHeight = 17;
  constexpr double kHeight = kCellHeight * kRows + 52;
  std::string svg;
  Index holes = 0, experts = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    const double y = 4 + kCellHeight * static_cast<double>(row);
    svg += svg_text(38, y + 12, "end", kAlignmentClasses[row]);
    for (std::size_t column = 0; column < kColumns; ++column) {
      const Index count = grid[row][column];
      const double x = 42 + kCellWidth * static_cast<double>(column);
      holes += count == 0;
      experts += count;
      svg += svg_rect(x + 1, y + 1, kCellWidth - 2, kCellHeight - 2,
                      count == 0 ? "hole" : heat_of(count),
                      fmt::format("{} rows, first row {}: {} experts", kSizeClasses[column],
                                  kAlignmentClasses[row], count));
    }
  }
  for (std::size_t column = 0; column < kColumns; ++column) {
    svg += svg_text(42 + kCellWidth * (static_cast<double>(column) + 0.5),
                    kCellHeight * kRows + 17 + (column % 2 == 0 ? 0 : 11), "middle",
                    kSizeClasses[column]);
  }
  svg += svg_text(kWidth / 2, kHeight - 4, "middle",
                  "rows of the expert; down: what divides its first row");
  return html_figure(
      {.title = convention,
       .description = fmt::format("{}: {} experts, {} of {} classes are holes "
                                  "(dashed red)",
                                  convention, grouped_digits(experts), holes, kRows * kColumns),
       .width = kWidth,
       .height = kHeight,
       .content = svg});
}

}  // namespace

std::string ratios_section(const CaseSummary& summary) {
  if (summary.ratios.empty()) { return ""; }
  std::string html =
      "<section><h2>Error over bound</h2>\n<p>Of each case's worst element; at 1 the proved bound "
      "is reached, and a kernel is wrong past it. Heights are logarithmic.</p><div "
      "class=\"figures\">\n";
  for (const auto& [cell, counts] : summary.ratios) { html += ratio_figure(cell, counts); }
  return html + "</div></section>\n";
}

std::string determinism_section(const CaseSummary& summary, const Manifest& manifest) {
  if (summary.repeats.empty()) { return ""; }
  std::vector<std::string> tactics = {"default"};
  tactics.insert(tactics.end(), manifest.tactics.begin(), manifest.tactics.end());
  std::vector<Column> columns = {{"Check"}};
  for (const std::string& tactic : tactics) { columns.push_back({tactic, true}); }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [check, by_tactic] : summary.repeats) {
    std::vector<std::string> row = {fmt::format("<code>{}</code>", check)};
    for (const std::string& tactic : tactics) {
      const auto found = by_tactic.find(tactic);
      if (found == by_tactic.end()) {
        row.push_back("<span class=\"soft\">none</span>");
      } else if (found->second.different > 0) {
        row.push_back(fmt::format("<span class=\"bad\">{} differ</span>", found->second.different));
      } else {
        row.push_back(fmt::format("<span class=\"good\">{} equal</span>", found->second.equal));
      }
    }
    rows.push_back(std::move(row));
  }
  return fmt::format("<section><h2>Determinism</h2>\n<p>Declared: {}, {}.</p>\n",
                     manifest.deterministic ? "the same case gives the same bits"
                                            : "nothing about repeated runs",
                     manifest.batch_invariant ? "a row's bits do not depend on other rows"
                                              : "nothing about other rows of the batch") +
         html_table("Cases of checks that compare two runs, by tactic.", columns, rows) +
         "</section>\n";
}

std::string rows_section(const CaseSummary& summary) {
  if (summary.rows_per_expert.empty()) { return ""; }
  return "<section><h2>Routings</h2>\n<div class=\"figures\">\n" + rows_figure(summary) +
         useful_figure(summary) + "</div></section>\n";
}

std::string coverage_section(const CaseSummary& summary) {
  if (summary.coverage.empty()) { return ""; }
  std::string html =
      "<section><h2>Coverage</h2>\n<p>Experts by their rows and by where they begin, for each "
      "offset convention. What was not drawn is a hole, not a pass.</p><div class=\"figures\">\n";
  for (const auto& [convention, grid] : summary.coverage) {
    html += coverage_figure(convention, grid);
  }
  return html + "</div></section>\n";
}

}  // namespace assay
