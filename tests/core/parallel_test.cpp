#include "src/core/parallel.h"

#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/no_threads.h"

namespace assay {
namespace {

TEST(ParallelFor, CallsEveryIndexOnce) {
  for (const int threads : {0, 1, 2, 9}) {
    for (const Index count : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count) + 1);
      parallel_for(count, threads, [&](int, Index i) { ++calls[i]; });
      for (Index i = 0; i < count; ++i) { EXPECT_EQ(calls[i], 1) << i; }
      EXPECT_EQ(calls.back(), 0);
    }
  }
}

TEST(ParallelFor, OneThreadRunsInTheCallerAndInOrder) {
  std::vector<Index> order;
  parallel_for(5, 1, [&](int, Index i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<Index>{0, 1, 2, 3, 4}));
}

TEST(ParallelFor, UsesTheThreadsItIsGiven) {
  std::atomic<int> waiting{0};
  parallel_for(3, 3, [&](int, Index) {
    ++waiting;
    while (waiting < 3) {
      std::this_thread::yield();  // ends only when all three run at once
    }
  });
  EXPECT_EQ(waiting, 3);
}

TEST(ParallelFor, NumbersItsWorkers) {
  std::vector<std::atomic<int>> inside(4);
  parallel_for(1000, 4, [&](int worker, Index) {
    // No two pieces run under one number at once: each worker may keep scratch memory of its own.
    EXPECT_EQ(inside[worker]++, 0);
    std::this_thread::yield();
    --inside[worker];
  });
}

TEST(ParallelFor, GoesOnWhereThereAreNoThreads) {
  EXPECT_EQ(testing::without_threads([] {
              std::vector<std::jthread> threads;
              if (start_thread(threads, [] {}) || !threads.empty()) { return 1; }
              Index sum = 0;
              parallel_for(5, 3, [&](int, Index i) { sum += i; });
              return sum == 10 ? 0 : 2;
            }),
            0);
}

// Whichever thread it comes up in.
TEST(ParallelFor, ThrowsWhatABodyThrows) {
  for (Index thrower = 0; thrower < 4; ++thrower) {
    std::atomic<int> waiting{0};
    EXPECT_THROW(parallel_for(4, 4,
                              [&](int, Index i) {
                                ++waiting;
                                while (waiting < 4) { std::this_thread::yield(); }
                                if (i == thrower) { throw std::bad_alloc(); }
                              }),
                 std::bad_alloc);
  }
}

TEST(WorthwhileThreads, ShortWorkStaysInTheCaller) {
  EXPECT_EQ(worthwhile_threads(1000, 8), 1);
  EXPECT_EQ(worthwhile_threads(Index{1} << 30, 8), 8);
  EXPECT_EQ(worthwhile_threads(Index{1} << 30, 0), 1);
}

TEST(AvailableThreads, IsAtLeastOne) { EXPECT_GE(available_threads(), 1); }

}  // namespace
}  // namespace assay
