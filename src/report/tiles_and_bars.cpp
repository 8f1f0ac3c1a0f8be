// The map of a finding's wrong tiles, and the bars of a benchmark.
#include <algorithm>

#include <fmt/format.h>

#include "src/report/html.h"
#include "src/report/sections.h"

namespace assay {
namespace {

constexpr double kLabel = 70, kMapWidth = 720;

std::string_view css_of(const Tile& tile) {
  return tile.wrong == 0 ? "right" : tile.wrong < tile.rows * tile.cols ? "partly" : "wrong";
}

std::string tip_of(const ExpertTiles& expert, const Tile& tile) {
  return fmt::format(
      "expert {}, rows {} to {}, columns {} to {}: {} of {} wrong, error/bound {:.3g}",
      expert.expert, tile.row, tile.row + tile.rows - 1, tile.col, tile.col + tile.cols - 1,
      tile.wrong, tile.rows * tile.cols, tile.worst_ratio);
}

bool is_speed(const BenchFigure& figure) {
  return figure.unit.starts_with("TFLOP/s") || figure.unit.starts_with("GFLOP/s") ||
         figure.unit == "x";
}

std::string bars_of_unit(const std::vector<BenchFigure>& bench, const std::string& unit) {
  std::vector<BenchFigure> bars;
  double most = 0, roof = 0;
  for (const BenchFigure& figure : bench) {
    if (figure.unit != unit) { continue; }
    most = std::max(most, figure.value);
    if (figure.name.starts_with("roof")) {
      roof = figure.value;
    } else {
      bars.push_back(figure);
    }
  }
  if (!(most > 0) || bars.empty()) { return ""; }
  constexpr double kWidth = 720, kRow = 24, kStart = 300;
  const double scale = (kWidth - kStart - 90) / most;
  std::string svg, words;
  double y = 6;
  for (const BenchFigure& bar : bars) {
    svg += svg_text(kStart - 6, y + 14, "end", bar.name);
    svg += svg_rect(kStart, y + 2, bar.value * scale, kRow - 8, "bar", bar.against);
    const std::string value =
        roof > 0 ? fmt::format("{:.4g} ({:.0f} % of the roof)", bar.value, 100 * bar.value / roof)
                 : fmt::format("{:.4g}", bar.value);
    svg += svg_text(kStart + bar.value * scale + 5, y + 14, "start", value);
    words += fmt::format("{}{} {}", words.empty() ? "" : "; ", bar.name, value);
    y += kRow;
  }
  if (roof > 0) {
    svg += svg_line(kStart + roof * scale, 0, kStart + roof * scale, y + 4, "limit");
    svg += svg_text(kStart + roof * scale, y + 16, "middle", fmt::format("roof {:.4g}", roof),
                    "limit-label");
  }
  const std::string title = unit == "x" ? "Times the baseline" : unit;
  return html_figure({.title = title,
                      .description = title + ": " + words,
                      .width = kWidth,
                      .height = y + 22,
                      .content = svg});
}

}  // namespace

std::string tile_map_figure(const TileMap& map, const CaseSpec& spec) {
  Index across = 1, lines = 0;
  for (const ExpertTiles& expert : map.experts) {
    across = std::max(across, expert.tiles_across);
    if (expert.tiles_across > 0) {
      lines += static_cast<Index>(expert.tiles.size()) / expert.tiles_across;
    }
  }
  const double width = std::min(26.0, (kMapWidth - kLabel) / static_cast<double>(across));
  const double height = std::min(16.0, 480.0 / static_cast<double>(std::max<Index>(1, lines)));
  std::string svg;
  Index wrong = 0;
  double y = 8;
  for (const ExpertTiles& expert : map.experts) {
    svg += svg_line(4, y, kLabel + width * static_cast<double>(across), y, "border");
    svg += svg_text(kLabel - 6, y + 12, "end", fmt::format("expert {}", expert.expert));
    const double top = y + 2;
    for (std::size_t i = 0; i < expert.tiles.size(); ++i) {
      const auto at = static_cast<Index>(i);
      const Tile& tile = expert.tiles[i];
      wrong += tile.wrong > 0;
      svg += svg_rect(kLabel + width * static_cast<double>(at % expert.tiles_across),
                      top + height * static_cast<double>(at / expert.tiles_across), width, height,
                      css_of(tile), tip_of(expert, tile));
      y = std::max(y, top + height * static_cast<double>(at / expert.tiles_across + 1));
    }
    y = std::max(y + 2, top + 14);
  }
  svg += svg_line(4, y, kLabel + width * static_cast<double>(across), y, "border");
  return html_figure({.title = "Tiles of the output",
                      .description = fmt::format(
                          "{} wrong tiles of {} x {} elements, in {} of {} experts shown: "
                          "red all wrong, amber partly, blue right; lines are experts' "
                          "borders",
                          wrong, map.tile_rows, map.tile_cols, map.experts.size(), spec.experts()),
                      .width = kLabel + width * static_cast<double>(across) + 4,
                      .height = y + 4,
                      .content = svg});
}

std::string bench_section(const std::vector<BenchFigure>& bench) {
  std::vector<std::string> units;
  for (const BenchFigure& figure : bench) {
    if (is_speed(figure) && std::find(units.begin(), units.end(), figure.unit) == units.end()) {
      units.push_back(figure.unit);
    }
  }
  std::string html;
  for (const std::string& unit : units) { html += bars_of_unit(bench, unit); }
  return html.empty() ? "" : "<section><h2>Speed</h2>\n" + html + "</section>\n";
}

}  // namespace assay
