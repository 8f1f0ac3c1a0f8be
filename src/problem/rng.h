// Rng: the one deterministic random generator (SplitMix64), the same under every compiler.
// Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "src/core/host_device.h"
#include "src/core/index.h"
#include "src/core/require.h"

namespace assay {

inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15u;

// A bijection of 64-bit words that mixes every bit into every other.
ASSAY_HOST_DEVICE constexpr std::uint64_t mix_bits(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

// The state of a thing of its own (an operand, an expert, a line) below the state of what it
// belongs to.
ASSAY_HOST_DEVICE constexpr std::uint64_t child_state(std::uint64_t parent, std::uint64_t index) {
  return mix_bits(parent + (index + 1) * kGoldenGamma);
}

class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() { return mix_bits(state_ += kGoldenGamma); }

  // Uniform in [0, bound). Requires: bound >= 1.
  Index below(Index bound) {
    ASSAY_REQUIRE(bound >= 1, bound);
    const auto range = static_cast<std::uint64_t>(bound);
    const std::uint64_t unfair = (0 - range) % range;  // 2^64 mod range
    std::uint64_t word = next();
    while (word < unfair) { word = next(); }
    return static_cast<Index>(word % range);
  }
  // Uniform in [first, last]. Requires: first <= last.
  Index between(Index first, Index last) { return first + below(last - first + 1); }
  // True with probability hits / of.
  bool chance(Index hits, Index of) { return below(of) < hits; }

  template <class T>
  const T& pick(const std::vector<T>& choices) {
    return choices[below(static_cast<Index>(choices.size()))];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[below(static_cast<Index>(i))]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace assay
