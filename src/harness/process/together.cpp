#include "src/harness/process/together.h"

#include <barrier>
#include <thread>
#include <vector>

#include "src/core/parallel.h"

namespace assay {

Error no_thread() {
  return {"the harness could not start a thread: the system gives no more (ulimit -u, pids.max)",
          true};
}

Status call_together(std::size_t count, void (*thread_started)(),
                     const std::function<void(std::size_t)>& body) {
  std::barrier start(static_cast<std::ptrdiff_t>(count) + 1);
  bool all = true;  // the barrier orders it
  std::vector<std::jthread> threads;
  threads.reserve(count);
  while (all && threads.size() < count) {
    all = start_thread(threads, [&, i = threads.size()] {
      if (thread_started != nullptr) { thread_started(); }
      start.arrive_and_wait();
      if (all) { body(i); }
    });
  }
  // Those that are missing arrive as well, so that the others end.
  for (std::size_t i = threads.size(); i < count; ++i) { start.arrive_and_drop(); }
  start.arrive_and_wait();
  threads.clear();
  return all ? Status() : tl::make_unexpected(no_thread());
}

}  // namespace assay
