#include "oracle/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace assay::oracle {

void parallel_for(Index items, int threads, const std::function<void(int, Index)>& work) {
  const Index workers = std::min<Index>(std::max(threads, 1), items);
  std::atomic<Index> next{0};
  const auto serve = [&](int worker) {
    for (Index item = next++; item < items; item = next++) work(worker, item);
  };
  std::vector<std::jthread> helpers;
  for (Index worker = 1; worker < workers; ++worker) {
    try {
      helpers.emplace_back([&serve, worker] { serve(static_cast<int>(worker)); });
    } catch (const std::system_error&) {
      break;  // no more threads: the others do the work
    }
  }
  serve(0);
}

int worthwhile_threads(Index products, int threads) {
  constexpr Index kShortWork = Index{1} << 17;  // well below a millisecond
  return products <= kShortWork ? 1 : std::max(threads, 1);
}

}  // namespace assay::oracle
