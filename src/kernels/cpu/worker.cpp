#include "src/kernels/cpu/worker.h"

#include <algorithm>

#include "src/kernels/cpu/pack.h"
#include "src/kernels/schedule/split_plan.h"
#include "src/kernels/schedule/tile_walk.h"

namespace assay {
namespace {

// A part of the reduction is at most this many steps of kTileDepth; the sums are carried from part
// to part.
constexpr Index kPartTiles = 8;

std::unique_ptr<float[]> floats(Index count) {
  return std::unique_ptr<float[]>(new float[static_cast<std::size_t>(count)]);
}

}  // namespace

void start_sums(const WorkPlan& plan, const GroupProduct& product, const ScheduledTile& tile,
                WorkerMemory& memory) {
  const Index width = blocks_of(tile.cols.count, plan.isa->panel_cols) * plan.isa->panel_cols;
  for (Index row = 0; row < tile.rows.count; ++row) {
    std::fill_n(memory.sums + row * kTileCols, width, 0.0f);
  }
  if (plan.view->accumulates()) {
    load_tile(*plan.isa, product.out, tile.rows, tile.cols, memory.strip.get(), memory.sums);
  }
}

namespace {

void multiply_block(const Isa& isa, const ScheduledTile& tile, Index depth, WorkerMemory& memory) {
  for (Index panel = 0; panel < blocks_of(tile.cols.count, isa.panel_cols); ++panel) {
    const float* b = memory.b.get() + panel * depth * isa.panel_cols;
    for (Index row = 0; row < tile.rows.count; row += isa.panel_rows) {
      isa.multiply(std::min(isa.panel_rows, tile.rows.count - row), depth,
                   memory.a.get() + row * kPanelPitch, b,
                   memory.sums + row * kTileCols + panel * isa.panel_cols);
    }
  }
}

void run_tile(const WorkPlan& plan, const ScheduledTile& tile, WorkerMemory& memory) {
  const GroupProduct product = plan.view->product(tile.expert, tile.group);
  if (plan.view->accumulates() && product.depth() == 0) {
    return;  // C is kept bit for bit
  }
  start_sums(plan, product, tile, memory);
  const SplitPlan split(product.depth(), plan.tile.k, kPartTiles);
  for (Index index = 0; index < split.parts(); ++index) {
    const BlockRange part = split.part(index);
    for (Index block = 0; block < blocks_of(part.count, plan.tile.k); ++block) {
      const BlockRange own = block_range(part.count, plan.tile.k, block);
      const BlockRange steps{part.first + own.first, own.count};
      pack_a(*plan.isa, product.a, tile.rows, steps, memory.strip.get(), memory.a.get());
      pack_b(*plan.isa, product.b, steps, tile.cols, memory.strip.get(), memory.b.get());
      multiply_block(*plan.isa, tile, steps.count, memory);
    }
  }
  store_tile(*plan.isa, memory.sums, tile.rows, tile.cols, memory.strip.get(), product.out);
}

}  // namespace

Index sums_floats(const TileShape& tile) { return tile.m * kTileCols; }

WorkerMemory make_worker_memory(const TileShape& largest, float* sums) {
  WorkerMemory memory;
  memory.a = floats(largest.m * kPanelPitch);
  memory.b = floats(largest.k * blocks_of(largest.n, kStripLines) * kStripLines);
  memory.strip = floats(std::min(kStripLines, std::max(largest.k, largest.n)) * kPanelPitch);
  if (sums == nullptr) {
    memory.own_sums = floats(sums_floats(largest));
    sums = memory.own_sums.get();
  }
  memory.sums = sums;
  return memory;
}

void run_worker(const WorkPlan& plan, Index worker, WorkerMemory& memory) {
  if (plan.view->has_scales()) { return run_scaled_worker(plan, worker, memory); }
  const assay_call& call = *plan.view->call;
  TileWalk walk(plan.view->groups, output_extent(call.pass, call.k, call.n), plan.tile);
  for (Index flat = worker; walk.seek(flat); flat += plan.workers) {
    run_tile(plan, walk.tile(), memory);
  }
}

}  // namespace assay
