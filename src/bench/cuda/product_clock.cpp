#include "src/bench/cuda/product_clock.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "src/bench/alternation.h"
#include "src/bench/sample_statistics.h"

namespace assay {
namespace {

constexpr Index kSweeps = 4;  // times the L2 cache; the sweep also hides the launch that follows
constexpr Index kLeastSweptBytes = Index{256} << 20;
constexpr int kLeastRounds = 5;
constexpr int kLeastWarmRounds = 2;
constexpr double kWarmSeconds = 0.15;  // until clocks and power have settled
constexpr int kAloneWarm = 3, kAloneTimed = 11;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Result<std::shared_ptr<CUevent_st>> make_event() {
  cudaEvent_t event = nullptr;
  ASSAY_CUDA_TRY(cudaEventCreate(&event));
  return std::shared_ptr<CUevent_st>(event, [](cudaEvent_t made) { (void)cudaEventDestroy(made); });
}

}  // namespace

ProductClock::ProductClock(cudaStream_t stream, DeviceMemory swept, Index swept_bytes,
                           DeviceMemory sink)
    : stream_(stream),
      swept_(std::move(swept)),
      swept_bytes_(swept_bytes),
      sink_(std::move(sink)) {}

Result<ProductClock> ProductClock::open(cudaStream_t stream) {
  int device = 0, l2_bytes = 0;
  ASSAY_CUDA_TRY(cudaGetDevice(&device));
  ASSAY_CUDA_TRY(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
  constexpr Index kWord = 16;
  const Index bytes = std::max(kLeastSweptBytes, kSweeps * l2_bytes / kWord * kWord);
  auto swept = allocate(bytes);
  ASSAY_TRY(swept);
  auto sink = allocate(sizeof(unsigned));
  ASSAY_TRY(sink);
  ASSAY_CUDA_TRY(cudaMemsetAsync(swept->get(), 0, static_cast<std::size_t>(bytes), stream));
  return ProductClock(stream, std::move(*swept), bytes, std::move(*sink));
}

Status ProductClock::add_events(std::size_t count) {
  while (events_.size() < count) {
    auto begin = make_event();
    ASSAY_TRY(begin);
    auto end = make_event();
    ASSAY_TRY(end);
    events_.push_back({std::move(*begin), std::move(*end)});
  }
  return {};
}

Status ProductClock::launch_timed(std::size_t slot, const std::function<Status()>& launch) {
  ASSAY_CUDA_TRY(
      launch_read(stream_, swept_.get(), swept_bytes_, static_cast<unsigned*>(sink_.get())));
  ASSAY_CUDA_TRY(cudaEventRecord(events_[slot].begin.get(), stream_));
  ASSAY_TRY(launch());
  ASSAY_CUDA_TRY(cudaEventRecord(events_[slot].end.get(), stream_));
  return {};
}

Result<double> ProductClock::seconds_of(std::size_t slot) const {
  float milliseconds = 0;
  ASSAY_CUDA_TRY(
      cudaEventElapsedTime(&milliseconds, events_[slot].begin.get(), events_[slot].end.get()));
  return static_cast<double>(milliseconds) / 1000;
}

// Queues the whole round before it waits, so that the GPU never waits for the host between two
// contestants.
Status ProductClock::run_round(const std::vector<Contestant*>& contestants, int round, bool kept) {
  for (const std::size_t i : alternating_order(contestants.size(), round)) {
    ASSAY_TRY(launch_timed(i, contestants[i]->launch));
  }
  ASSAY_CUDA_TRY(cudaStreamSynchronize(stream_));
  if (!kept) { return {}; }
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const auto seconds = seconds_of(i);
    ASSAY_TRY(seconds);
    contestants[i]->contest.seconds.push_back(*seconds);
  }
  return {};
}

Status ProductClock::time_rounds(const std::vector<Contestant*>& contestants,
                                 const Limits& limits) {
  if (contestants.empty()) { return {}; }
  ASSAY_TRY(add_events(contestants.size()));
  auto start = Clock::now();
  for (int warm = 0; warm < kLeastWarmRounds || seconds_since(start) < kWarmSeconds; ++warm) {
    ASSAY_TRY(run_round(contestants, warm, false));
  }
  start = Clock::now();
  for (int round = 0; round < limits.rounds; ++round) {
    if (round >= kLeastRounds && !(seconds_since(start) < limits.seconds)) { break; }
    ASSAY_TRY(run_round(contestants, round, true));
  }
  return {};
}

Result<double> ProductClock::time_alone(const std::function<Status()>& launch) {
  ASSAY_TRY(add_events(1));
  std::vector<double> samples;
  for (int i = 0; i < kAloneWarm + kAloneTimed; ++i) {
    ASSAY_TRY(launch_timed(0, launch));
    ASSAY_CUDA_TRY(cudaStreamSynchronize(stream_));
    const auto seconds = seconds_of(0);
    if (!seconds) { return seconds; }
    if (i >= kAloneWarm) { samples.push_back(*seconds); }
  }
  return median(samples);
}

}  // namespace assay
