// parallel_for: independent pieces of work spread over threads.
#pragma once

#include <functional>

#include "src/core/index.h"

namespace assay {

// Threads that this process may use at once, at least 1.
int available_threads();

// Calls body(i) once for every i in [0, count), pieces taken in order by up to `threads` threads
// (0: all available). With one thread, or one piece, everything runs in the caller. Returns when
// all pieces are done.
void parallel_for(Index count, int threads, const std::function<void(Index)>& body);

}  // namespace assay
