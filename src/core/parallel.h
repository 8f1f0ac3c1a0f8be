// parallel_for: independent pieces of work spread over threads.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "src/core/index.h"

namespace assay {

// Threads that this process may use at once, at least 1.
int available_threads();

// At most `threads`, and 1 where `products` multiply-adds take less time than starting one.
int worthwhile_threads(Index products, int threads);

// Adds a thread that runs `body`. False: the system gives no more threads.
bool start_thread(std::vector<std::jthread>& threads, std::function<void()> body);

// Calls body(worker, i) once for every i in [0, count), pieces taken in order by up to `threads`
// workers numbered from 0 (threads 0: all available). With one thread, or one piece, everything
// runs in the caller; where no thread can be started, the others do the work. Returns when all
// pieces are done. What a body throws (memory may be out) is thrown here, once no other runs.
void parallel_for(Index count, int threads, const std::function<void(int worker, Index i)>& body);

}  // namespace assay
