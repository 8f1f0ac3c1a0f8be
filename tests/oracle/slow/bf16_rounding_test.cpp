#include <bit>

#include <gtest/gtest.h>

#include "oracle/format.h"
#include "src/problem/format.h"

namespace assay::oracle {
namespace {

// bf16 is the upper half of a float, so rounding is a question about its lower half.
std::uint32_t upper_half_rounded(std::uint32_t bits) {
  const std::uint32_t upper = bits >> 16, lower = bits & 0xFFFF;
  if ((bits & 0x7FFFFFFF) > 0x7F800000) {
    return 0x7FC0;  // any NaN
  }
  const bool up = lower > 0x8000 || (lower == 0x8000 && upper % 2 == 1);
  return up ? upper + 1 : upper;
}

bool is_nan(std::uint32_t bf16) { return (bf16 & 0x7FFF) > 0x7F80; }

template <class Round>
std::uint64_t count_wrong(const Round& round) {
  std::uint64_t wrong = 0;
  std::uint32_t bits = 0;
  do {
    const std::uint32_t got = round(static_cast<double>(std::bit_cast<float>(bits)));
    const std::uint32_t expected = upper_half_rounded(bits);
    wrong += got == expected || (is_nan(got) && is_nan(expected)) ? 0 : 1;
  } while (++bits != 0);
  return wrong;
}

TEST(SlowBf16Rounding, OracleIsRightOnAllFloats) {
  EXPECT_EQ(count_wrong([](double value) { return round_nearest(Format::kBf16, value); }), 0u);
}

TEST(SlowBf16Rounding, ProblemIsRightOnAllFloats) {
  EXPECT_EQ(count_wrong([](double value) { return encode(assay::Format::kBf16, value); }), 0u);
}

}  // namespace
}  // namespace assay::oracle
