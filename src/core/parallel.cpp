#include "src/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>

namespace assay {

int available_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int worthwhile_threads(Index products, int threads) {
  constexpr Index kShortWork = Index{1} << 17;  // well below a millisecond
  return products <= kShortWork ? 1 : std::max(threads, 1);
}

bool start_thread(std::vector<std::jthread>& threads, std::function<void()> body) {
  try {
    threads.emplace_back(std::move(body));
    return true;
  } catch (const std::system_error&) { return false; }
}

void parallel_for(Index count, int threads, const std::function<void(int, Index)>& body) {
  const Index workers = std::min<Index>(count, threads > 0 ? threads : available_threads());
  std::atomic<Index> next{0};
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto serve = [&](int worker) {
    try {
      for (Index i = next++; i < count; i = next++) { body(worker, i); }
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!thrown) { thrown = std::current_exception(); }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (int worker = 1; worker < workers; ++worker) {
      if (!start_thread(helpers, [&serve, worker] { serve(worker); })) { break; }
    }
    serve(0);
  }
  if (thrown) { std::rethrow_exception(thrown); }
}

}  // namespace assay
