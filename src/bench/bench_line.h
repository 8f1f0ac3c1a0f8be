// BenchLine: one measured figure of a benchmark, with what it is held against.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace assay {

struct BenchLine {
  std::string name;
  double value = 0;
  std::string unit;
  std::string against;  // what it is measured against, or should reach
};

struct BenchOptions {
  int threads = 0;  // 0: one a core
  int repeats = 3;  // the fastest counts
};

int bench_threads(const BenchOptions& options);

// Seconds of the fastest of `repeats` calls.
template <class Call>
double fastest_seconds(int repeats, const Call& call) {
  double fastest = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    fastest = repeat == 0 ? taken.count() : std::min(fastest, taken.count());
  }
  return fastest;
}

}  // namespace assay
