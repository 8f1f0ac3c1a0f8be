#include "src/selftest/smallest_case.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "src/core/text.h"

namespace assay {
namespace {

constexpr Index kMostExperts = 3;
constexpr Index kMostTilesOfRows = 2;
constexpr Index kTileRowsUnknown = 128;

Index tallest_tile(const Manifest& manifest) {
  Index rows = manifest.tiles.empty() ? kTileRowsUnknown : 1;
  for (const DeclaredTile& tile : manifest.tiles) { rows = std::max(rows, tile.m); }
  return rows;
}

Index output_columns(const CaseSpec& spec) { return axis_sizes(spec, 0)[operation(spec.pass).n()]; }

}  // namespace

Result<SmallestCase> parse_smallest(std::string_view text) {
  SmallestCase smallest;
  for (std::string_view left = text; !left.empty();) {
    const std::size_t comma = left.find(',');
    const std::string_view part = trim(left.substr(0, comma));
    left = comma == std::string_view::npos ? "" : left.substr(comma + 1);
    const std::size_t blank = part.find(' ');
    const std::string_view word = part.substr(0, blank);
    Index* target = word == "experts"     ? &smallest.experts
                    : word == "rows"      ? &smallest.rows
                    : word == "columns"   ? &smallest.columns
                    : word == "reduction" ? &smallest.reduction
                    : word == "tiles"     ? &smallest.tiles
                                          : nullptr;
    const std::string_view number =
        blank == std::string_view::npos ? "" : trim(part.substr(blank + 1));
    const auto read = target == nullptr
                          ? std::from_chars_result{number.data(), std::errc::invalid_argument}
                          : std::from_chars(number.data(), number.data() + number.size(), *target);
    if (read.ec != std::errc{} || read.ptr != number.data() + number.size() || *target < 1) {
      return make_error(fmt::format(
          "smallest '{}': expected experts, rows, columns, reduction or tiles and a number", part));
    }
  }
  return smallest;
}

std::string too_large(const CaseSpec& shrunk, const SmallestCase& smallest,
                      const Manifest& manifest) {
  const Index tile_rows = tallest_tile(manifest);
  // A sum over rows, and tiles, need rows.
  const Index summed = reduces_rows(shrunk.pass) ? smallest.reduction : 0;
  const Index most_rows = std::max({kMostTilesOfRows * tile_rows, 2 * smallest.rows, 2 * summed,
                                    2 * smallest.tiles * tile_rows});
  const Index most_experts = std::max({kMostExperts, 2 * smallest.experts, 2 * smallest.tiles});
  const auto over = [](std::string_view what, Index value, Index most) {
    return value > most ? fmt::format("{} {}, {} at most", value, what, most) : std::string();
  };
  std::string problem = over("experts", shrunk.experts(), most_experts);
  if (problem.empty()) { problem = over("rows", total_rows(shrunk), most_rows); }
  if (problem.empty() && smallest.columns > 0) {
    problem = over("columns", output_columns(shrunk), 2 * smallest.columns);
  }
  if (problem.empty() && smallest.reduction > 0) {
    problem = over("products an element", longest_reduction(shrunk), 2 * smallest.reduction);
  }
  return problem;
}

}  // namespace assay
