// One worker of the cpu kernel, a thread in the place of a CTA: it visits tiles worker, worker +
// workers, ...
#pragma once

#include <memory>

#include "src/kernels/call_view.h"
#include "src/kernels/cpu/isa.h"
#include "src/kernels/schedule/tile_shape.h"
#include "src/kernels/schedule/tile_walk.h"

namespace assay {

struct WorkPlan {
  const CallView* view = nullptr;
  const Isa* isa = nullptr;
  TileShape tile;
  Index workers = 1;
};

// Scratch memory of one worker; nothing in it needs to be clean.
struct WorkerMemory {
  float* sums = nullptr;  // [tile.m, kTileCols]
  std::unique_ptr<float[]> a, b, strip;
  std::unique_ptr<float[]> own_sums;  // where the caller's workspace does not give them
  std::unique_ptr<float[]> partial;   // as large as sums, of a call with scales
};
Index sums_floats(const TileShape& tile);
// For tiles up to `largest`. `sums` may be nullptr: then the worker has its own.
WorkerMemory make_worker_memory(const TileShape& largest, float* sums);

// For a call whose codes have scales.
void add_partial_sums(const TileShape& largest, WorkerMemory& memory);

// The tile's sums start from C when accumulating, else from +0.
void start_sums(const WorkPlan& plan, const GroupProduct& product, const ScheduledTile& tile,
                WorkerMemory& memory);

// A call with scales (scaled_worker.cpp), and one without.
void run_scaled_worker(const WorkPlan& plan, Index worker, WorkerMemory& memory);
void run_worker(const WorkPlan& plan, Index worker, WorkerMemory& memory);

}  // namespace assay
