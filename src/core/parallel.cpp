#include "src/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace assay {

int available_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(Index count, int threads, const std::function<void(Index)>& body) {
  const Index wanted = std::min<Index>(count, threads > 0 ? threads : available_threads());
  std::atomic<Index> next{0};
  const auto work = [&next, count, &body] {
    for (Index i = next.fetch_add(1); i < count; i = next.fetch_add(1)) body(i);
  };
  std::vector<std::jthread> helpers;
  for (Index i = 1; i < wanted; ++i) helpers.emplace_back(work);
  work();
}

}  // namespace assay
