// Runs independent pieces of work on a few threads.
#pragma once

#include <functional>

#include "src/core/index.h"

namespace assay::oracle {

// Calls work(worker, item) for every item of [0, items), each once, on at most `threads` workers
// numbered from 0. With one thread all run in the caller's.
void parallel_for(Index items, int threads,
                  const std::function<void(int worker, Index item)>& work);

// At most `threads`, and 1 where the work is too short to start one.
int worthwhile_threads(Index products, int threads);

}  // namespace assay::oracle
