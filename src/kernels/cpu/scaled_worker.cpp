// Workers of a call whose codes have scales: a sum of codes from +0 for each run of steps that
// share their scales (128 at most), which is added as fma(sum, scale of a * scale of b, total).
// Where a tensor has a scale, that total begins with +0 and is added to C in the same way.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/kernels/cpu/pack.h"
#include "src/kernels/cpu/worker.h"

namespace assay {
namespace {

constexpr Index kPromotion = 128;  // as DeepSeek's kernels promote; the manifest says so

// The largest number of steps that divides the promotion interval and the blocks along the
// reduction.
Index steps_between_scales(const GroupProduct& product) {
  Index steps = kPromotion;
  if (product.a_scales.block_cols > 0 && product.a_scales.block_cols < product.depth()) {
    steps = std::gcd(steps, product.a_scales.block_cols);
  }
  if (product.b_scales.block_rows > 0 && product.b_scales.block_rows < product.depth()) {
    steps = std::gcd(steps, product.b_scales.block_rows);
  }
  return steps;
}

void sum_codes(const WorkPlan& plan, const GroupProduct& product, const ScheduledTile& tile,
               const BlockRange& steps, WorkerMemory& memory) {
  const Isa& isa = *plan.isa;
  pack_a(isa, product.a, tile.rows, steps, memory.strip.get(), memory.a.get());
  pack_b(isa, product.b, steps, tile.cols, memory.strip.get(), memory.b.get());
  float* partial = memory.partial.get();
  std::fill_n(partial, tile.rows.count * kTileCols, 0.0f);
  for (Index panel = 0; panel < blocks_of(tile.cols.count, isa.panel_cols); ++panel) {
    const float* b = memory.b.get() + panel * steps.count * isa.panel_cols;
    for (Index row = 0; row < tile.rows.count; row += isa.panel_rows) {
      isa.multiply(std::min(isa.panel_rows, tile.rows.count - row), steps.count,
                   memory.a.get() + row * kPanelPitch, b,
                   partial + row * kTileCols + panel * isa.panel_cols);
    }
  }
}

// Adds the whole reduction.
void sum_scaled_tile(const WorkPlan& plan, const GroupProduct& product, const ScheduledTile& tile,
                     WorkerMemory& memory) {
  const Index interval = steps_between_scales(product);
  float b_scale[kTileCols];
  for (Index first = 0; first < product.depth(); first += interval) {
    const BlockRange steps{first, std::min(interval, product.depth() - first)};
    sum_codes(plan, product, tile, steps, memory);
    for (Index col = 0; col < tile.cols.count; ++col) {
      b_scale[col] = product.b_scales.at(first, tile.cols.first + col);
    }
    for (Index row = 0; row < tile.rows.count; ++row) {
      const float a_scale = product.a_scales.at(tile.rows.first + row, first);
      const float* partial = memory.partial.get() + row * kTileCols;
      float* sums = memory.sums + row * kTileCols;
      for (Index col = 0; col < tile.cols.count; ++col) {
        sums[col] = std::fma(partial[col], a_scale * b_scale[col], sums[col]);
      }
    }
  }
}

void sum_tile_of_scaled_tensors(const WorkPlan& plan, const GroupProduct& product,
                                const ScheduledTile& tile, WorkerMemory& memory) {
  const Index sums = tile.rows.count * kTileCols;
  std::fill_n(memory.sums, sums, 0.0f);
  sum_scaled_tile(plan, product, tile, memory);
  float* totals = memory.partial.get();
  std::copy_n(memory.sums, sums, totals);
  start_sums(plan, product, tile, memory);
  const float factor = product.a_scales.tensor_scale * product.b_scales.tensor_scale;
  for (Index row = 0; row < tile.rows.count; ++row) {
    for (Index at = row * kTileCols; at < row * kTileCols + tile.cols.count; ++at) {
      memory.sums[at] = std::fma(totals[at], factor, memory.sums[at]);
    }
  }
}

void run_scaled_tile(const WorkPlan& plan, const ScheduledTile& tile, WorkerMemory& memory) {
  const GroupProduct product = plan.view->scaled_product(tile.expert, tile.group);
  if (plan.view->accumulates() && product.depth() == 0) {
    return;  // C is kept bit for bit
  }
  const bool has_tensor_scale =
      product.a_scales.has_tensor_scale || product.b_scales.has_tensor_scale;
  if (has_tensor_scale && product.depth() > 0) {  // a sum of nothing is +0 whatever its scale
    sum_tile_of_scaled_tensors(plan, product, tile, memory);
  } else {
    start_sums(plan, product, tile, memory);
    sum_scaled_tile(plan, product, tile, memory);
  }
  store_tile(*plan.isa, memory.sums, tile.rows, tile.cols, memory.strip.get(), product.out);
}

}  // namespace

void add_partial_sums(const TileShape& largest, WorkerMemory& memory) {
  memory.partial.reset(new float[static_cast<std::size_t>(sums_floats(largest))]);
}

void run_scaled_worker(const WorkPlan& plan, Index worker, WorkerMemory& memory) {
  const assay_call& call = *plan.view->call;
  TileWalk walk(plan.view->groups, output_extent(call.pass, call.k, call.n), plan.tile);
  for (Index flat = worker; walk.seek(flat); flat += plan.workers) {
    run_scaled_tile(plan, walk.tile(), memory);
  }
}

}  // namespace assay
