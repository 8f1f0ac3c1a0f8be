#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "src/kernels/cpu/cpu_kernel.h"
#include "src/kernels/cpu/worker.h"
#include "src/kernels/schedule/tile_walk.h"

namespace assay {
namespace {

struct Tactic {
  const char* name;
  Index rows;
};
constexpr Tactic kTactics[] = {{"rows32", 32}, {"rows64", 64}, {"rows128", 128}};

// Multiply-adds that are worth another thread: some 100 us of work.
constexpr double kProductsPerWorker = 8e6;

// From shapes alone, never from the offsets: every routing of a batch takes the same tile. A tile's
// rows are those of the output, k of them in wgrad.
Index default_rows(const assay_call& call) {
  const Index mean = call.experts > 0 ? call.rows / call.experts : 0;
  const Index rows = call.pass == ASSAY_WGRAD ? call.k : mean;
  for (const Tactic& tactic : kTactics) {
    if (rows <= tactic.rows) { return tactic.rows; }
  }
  return kTactics[std::size(kTactics) - 1].rows;
}

bool choose_tile(const assay_call& call, TileShape& tile) {
  tile = {default_rows(call), kTileCols, kTileDepth};
  if (call.tactic == nullptr || std::strcmp(call.tactic, "default") == 0) { return true; }
  for (const Tactic& tactic : kTactics) {
    if (std::strcmp(call.tactic, tactic.name) == 0) {
      tile.m = tactic.rows;
      return true;
    }
  }
  return false;
}

double products_of(const CallView& view) {
  GroupReader reader(view.groups);
  double rows = 0;
  for (Index expert = 0; expert < view.call->experts; ++expert) {
    rows += static_cast<double>(reader.next().count);
  }
  return rows * static_cast<double>(view.call->k) * static_cast<double>(view.call->n);
}

Index choose_workers(const CallView& view, const TileShape& tile) {
  const assay_call& call = *view.call;
  const Index tiles = count_tiles(view.groups, output_extent(call.pass, call.k, call.n), tile);
  Index workers = call.threads;
  if (workers <= 0) {
    const double worth = products_of(view) / kProductsPerWorker;
    // Asking for the machine's threads takes longer than a small product.
    const Index threads = worth < 2 ? 1 : std::max(1u, std::thread::hardware_concurrency());
    workers = worth < static_cast<double>(threads) ? static_cast<Index>(worth) : threads;
  }
  return std::max<Index>(1, std::min(workers, tiles));
}

// What the tiles of this call reach: a small call is to take little memory.
TileShape largest_tile(const CallView& view, const TileShape& tile) {
  const assay_call& call = *view.call;
  GroupReader reader(view.groups);
  Index count = 0;
  for (Index expert = 0; expert < call.experts; ++expert) {
    count = std::max(count, reader.next().count);
  }
  const Index cols = call.pass == ASSAY_DGRAD ? call.k : call.n;
  const Index depth = call.pass == ASSAY_FWD ? call.k : call.pass == ASSAY_DGRAD ? call.n : count;
  return {std::min(tile.m, view.is_wgrad() ? call.k : count), std::min(tile.n, cols),
          std::min(tile.k, depth)};
}

void run_workers(const WorkPlan& plan, std::vector<WorkerMemory>& memories) {
  std::vector<std::jthread> threads;
  threads.reserve(memories.size());
  Index started = 1;
  try {
    for (; started < plan.workers; ++started) {
      WorkerMemory& memory = memories[static_cast<std::size_t>(started)];
      threads.emplace_back([&plan, &memory, started] { run_worker(plan, started, memory); });
    }
  } catch (const std::system_error&) {
    // No more threads to be had: the caller does the shares that are left.
  }
  run_worker(plan, 0, memories[0]);
  for (Index worker = started; worker < plan.workers; ++worker) {
    run_worker(plan, worker, memories[0]);
  }
}

int refuse_tactic(const assay_call& call) {
  char message[96];
  std::snprintf(message, sizeof message,
                "tactic '%.32s' is none of default, rows32, rows64, rows128", call.tactic);
  return answer(call, ASSAY_UNSUPPORTED, message);
}

}  // namespace

int cpu_run(const assay_call* call) {
  CallView view;
  if (const int code = open_call(*call, view); code != ASSAY_OK) { return code; }
  WorkPlan plan{&view, chosen_isa(), {}, 1};
  if (plan.isa == nullptr) {
    return answer(*call, ASSAY_ERROR,
                  "ASSAY_CPU_ISA is none of portable, avx2, avx512 that this machine has");
  }
  if (!choose_tile(*call, plan.tile)) { return refuse_tactic(*call); }
  const auto sums_bytes = static_cast<std::uint64_t>(sums_floats(plan.tile)) * sizeof(float);
  if (call->workspace == nullptr || call->workspace_bytes < sums_bytes) {
    return answer(*call, ASSAY_ERROR,
                  "the workspace is smaller than the manifest's workspace_bytes");
  }
  if (const int code = check_groups(view); code != ASSAY_OK) { return code; }
  plan.workers = choose_workers(view, plan.tile);
  try {
    std::vector<WorkerMemory> memories;
    for (Index worker = 0; worker < plan.workers; ++worker) {
      float* sums = worker == 0 ? static_cast<float*>(call->workspace) : nullptr;
      memories.push_back(make_worker_memory(largest_tile(view, plan.tile), sums));
    }
    for (WorkerMemory& memory : memories) {
      if (view.has_scales()) { add_partial_sums(largest_tile(view, plan.tile), memory); }
    }
    run_workers(plan, memories);
  } catch (const std::bad_alloc&) { return answer(*call, ASSAY_ERROR, "out of memory"); }
  return ASSAY_OK;
}

}  // namespace assay
