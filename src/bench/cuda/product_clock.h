// ProductClock: times contestants round by round in one stream, each after a sweep through the L2
// cache.
#pragma once

#include <functional>
#include <vector>

#include "src/bench/cuda/contestant.h"
#include "src/bench/cuda/device_memory.h"

namespace assay {

class ProductClock {
 public:
  // Errors: CUDA's. Requires: the stream outlives the clock.
  static Result<ProductClock> open(cudaStream_t stream);

  struct Limits {
    int rounds = 1;
    double seconds = 1;  // after which no further round begins, but for the least number of rounds
  };
  // Appends to each contest's seconds. Errors: CUDA's, or a launch that fails.
  Status time_rounds(const std::vector<Contestant*>& contestants, const Limits& limits);
  // The median of what the events measure around `launch`.
  Result<double> time_alone(const std::function<Status()>& launch);

 private:
  struct EventPair {
    std::shared_ptr<CUevent_st> begin, end;
  };
  ProductClock(cudaStream_t stream, DeviceMemory swept, Index swept_bytes, DeviceMemory sink);
  Status add_events(std::size_t count);
  Status launch_timed(std::size_t slot, const std::function<Status()>& launch);
  Result<double> seconds_of(std::size_t slot) const;
  Status run_round(const std::vector<Contestant*>& contestants, int round, bool kept);

  cudaStream_t stream_;
  DeviceMemory swept_;
  Index swept_bytes_;
  DeviceMemory sink_;
  std::vector<EventPair> events_;
};

}  // namespace assay
