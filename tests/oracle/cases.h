// Random products for the oracle's tests: operands in storage bits, and outputs near the truth.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "oracle/judge.h"

namespace assay::oracle {

// An accumulator of 13 bits, as of Hopper's 8-bit products.
inline constexpr Arithmetic kHopperFp8{.kind = Arithmetic::Kind::kStep,
                                       .products_per_step = 32,
                                       .fraction_bits = 13,
                                       .out_bits = 13,
                                       .ascending = true};

enum class TestFill : std::uint8_t {
  kSmallIntegers,
  kNormal,
  kCancelling,
  kWide,       // exponents over much of the format's range
  kSubnormal,  // at the bottom of the range, with a few ordinary numbers
  kHuge,       // at the top
  kSparse,     // a half or minus a half here and there
  kSpecial,    // any bit pattern
};
inline constexpr int kTestFillCount = 8;

enum class TestOutput : std::uint8_t { kExact, kOffByOne, kRandomBits, kRoundedSum, kZeros };
inline constexpr int kTestOutputCount = 5;

struct TestShape {
  Index m = 0, n = 0, k = 0;
  Format in = Format::kBf16, out = Format::kBf16;
  TestFill fill = TestFill::kNormal;
  TestOutput output = TestOutput::kExact;
  bool initial = false;
  bool previous = false;
  bool a_by_columns = false, b_by_columns = false;
  int times = 1;
  std::optional<Format> in_a{};  // of a, where it is another one
  bool scaled = false;           // `in` has 8 bits or fewer: blocks of any size have scales
  bool hostile_scales = false;   // zeros, NaN, the ends of the range among them
  bool out_scaled = false;       // where nothing is accumulated
};

// A product and the memory behind it.
class TestProduct {
 public:
  TestProduct(const TestShape& shape, std::mt19937_64& random);
  const Product& product() const { return product_; }
  Product& product() { return product_; }
  std::vector<std::uint8_t>& got() { return got_; }

 private:
  Product product_;
  std::vector<std::uint8_t> a_, b_, c_, got_, previous_, a_scales_, b_scales_;
};

}  // namespace assay::oracle
