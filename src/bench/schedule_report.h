// ScheduleReport: what a tile shape makes of a routing on a persistent kernel with one CTA an SM:
// tiles, waves, and how much of the computed rows is real. Counted by the schedule code that the
// kernels run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/core/index.h"
#include "src/kernels/schedule/tile_shape.h"

namespace assay {

// A forward pass: rows of each expert, [k, n] weights.
struct ScheduleQuestion {
  std::vector<Index> rows;
  Index k = 0;
  Index n = 0;
  Index sms = 1;
};

struct ScheduleReport {
  TileShape tile;
  Index row_blocks = 0;
  Index tiles = 0;
  Index even_tiles = 0;   // tiles of the same rows spread evenly over the experts
  double waves = 0;       // tiles over SMs
  Index whole_waves = 0;  // rounded up: the last wave lasts as long as a full one
  double even_waves = 0;
  Index real_rows = 0;
  Index computed_rows = 0;   // row blocks times tile rows
  double useful_rows = 0;    // real over computed rows; 1 where nothing is computed
  double relative_cost = 0;  // tiles over even_tiles; 1 where there are none
};

// Requires: rows, k, n not negative; tile.m, tile.n, sms at least 1.
ScheduleReport analyse_schedule(const ScheduleQuestion& question, const TileShape& tile);

// A text table with one column a report. Requires: reports of this question.
std::string schedule_table(const ScheduleQuestion& question,
                           std::span<const ScheduleReport> reports);

}  // namespace assay
