#include "src/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace assay {

int available_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int worthwhile_threads(Index products, int threads) {
  constexpr Index kShortWork = Index{1} << 17;  // well below a millisecond
  return products <= kShortWork ? 1 : std::max(threads, 1);
}

void parallel_for(Index count, int threads, const std::function<void(int, Index)>& body) {
  const Index workers = std::min<Index>(count, threads > 0 ? threads : available_threads());
  std::atomic<Index> next{0};
  const auto serve = [&](int worker) {
    for (Index i = next++; i < count; i = next++) body(worker, i);
  };
  std::vector<std::jthread> helpers;
  for (Index worker = 1; worker < workers; ++worker) {
    try {
      helpers.emplace_back([&serve, worker] { serve(static_cast<int>(worker)); });
    } catch (const std::system_error&) {
      break;
    }
  }
  serve(0);
}

}  // namespace assay
