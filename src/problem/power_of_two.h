// 2^exponent as a double.
#pragma once

#include <bit>
#include <cstdint>

namespace assay {

// Exactly. Requires: -1022 <= exponent <= 1023.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

}  // namespace assay
