// HostLanes: the threads of a warp or of a block on the CPU. The schedule's shared code is written
// over such a policy; src/kernels/cuda/device_lanes.cuh is the GPU's.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>

namespace assay {

// kCount lanes in lock step, in warps of up to 32: every call runs for all of them, so a value that
// a lane of the GPU holds in a register is an array here, and a barrier has nothing to do.
template <int kCount>
struct HostLanes {
  static constexpr int kLanes = kCount;
  static constexpr int kWarpLanes = std::min(kCount, 32);
  template <class T>
  using Of = std::array<T, kCount>;  // a value of every lane

  // Runs f(lane) for every lane; its values where it has some.
  template <class Run>
  static auto each(Run run) {
    using Value = decltype(run(0));
    if constexpr (std::is_void_v<Value>) {
      for (int lane = 0; lane < kCount; ++lane) { run(lane); }
    } else {
      Of<Value> values{};
      for (int lane = 0; lane < kCount; ++lane) { values[at(lane)] = run(lane); }
      return values;
    }
  }
  template <class T>
  static const T& own(const Of<T>& values, int lane) {
    return values[at(lane)];
  }

  // Each lane's combination of the values of its warp's lanes up to its own.
  template <class T, class Combine>
  static Of<T> scan(Of<T> values, Combine combine) {
    for (int distance = 1; distance < kWarpLanes; distance *= 2) {
      const Of<T> before = values;
      for (int lane = 0; lane < kCount; ++lane) {
        if (lane % kWarpLanes < distance) { continue; }
        values[at(lane)] = combine(before[at(lane - distance)], before[at(lane)]);
      }
    }
    return values;
  }
  // The value of the lane before in the warp; the first lane's own.
  template <class T>
  static Of<T> before(const Of<T>& values) {
    return each([&](int lane) { return values[at(lane % kWarpLanes == 0 ? lane : lane - 1)]; });
  }
  template <class T>
  static T broadcast(const Of<T>& values, int lane) {
    return values[at(lane)];
  }
  // Bit i: lane i of the warp says yes. One warp only.
  static unsigned ballot(const Of<bool>& values) {
    static_assert(kCount == kWarpLanes);
    unsigned bits = 0;
    for (int lane = 0; lane < kCount; ++lane) { bits |= unsigned{values[at(lane)]} << lane; }
    return bits;
  }
  static bool any(const Of<bool>& values) {
    return std::any_of(values.begin(), values.end(), [](bool value) { return value; });
  }

  static void sync() {}
  static bool is_first_block() { return true; }
  static void add(std::int32_t& sum, std::int32_t value) { sum += value; }
  static void raise(std::int32_t& most, std::int32_t value) { most = std::max(most, value); }

 private:
  static constexpr std::size_t at(int lane) { return static_cast<std::size_t>(lane); }
};

// One block of a grid whose blocks run one after another or on threads of their own.
struct HostGrid {
  std::int32_t own_block = 0;
  std::int32_t block_count = 1;

  std::int32_t block() const { return own_block; }
  std::int32_t blocks() const { return block_count; }
  static unsigned long long add(unsigned long long& counter, unsigned long long amount) {
    return std::atomic_ref<unsigned long long>(counter).fetch_add(amount,
                                                                  std::memory_order_relaxed);
  }
};

}  // namespace assay
