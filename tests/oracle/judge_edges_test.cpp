// Elements at the very edge of their bound, and results a hair beside a rounding boundary: where an
// enclosure that is too narrow, or too sure of itself, would decide wrongly.
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "oracle/error_bound.h"
#include "oracle/exact/exact.h"
#include "oracle/judge.h"
#include "oracle/number_line.h"

namespace assay::oracle {
namespace {

// One column of results: row i is the dot product of terms[i] with equal factors.
class Column {
 public:
  Column(Format out, float factor) : out_(out), factor_(factor) {}

  void add(const std::vector<float>& terms, std::uint32_t got_bits) {
    length_ = static_cast<Index>(terms.size());
    a_.insert(a_.end(), terms.begin(), terms.end());
    got_.resize(got_.size() + shape(out_).size_bytes);
    store(out_, got_.data() + got_.size() - shape(out_).size_bytes, got_bits);
  }

  Product product() {
    b_.assign(length_, factor_);
    const Index rows = static_cast<Index>(got_.size()) / shape(out_).size_bytes;
    Product product;
    product.a = {a_.data(), Format::kFp32, rows, length_, length_, 1};
    product.b = {b_.data(), Format::kFp32, length_, 1, 1, 1};
    product.got = {got_.data(), out_, rows, 1, 1, 1};
    return product;
  }

  // Both oracles say the same; returns how many elements are wrong.
  Index judge(const Arithmetic& arithmetic, bool exact_input, Index& elements) {
    const Product whole = product();
    std::vector<std::uint8_t> exact_map, fast_map;
    const JudgeOptions options{.exact_input = exact_input};
    JudgeOptions exact_options = options, fast_options = options;
    exact_options.wrong_map = &exact_map;
    fast_options.wrong_map = &fast_map;
    const Judgement exact = judge_exact({&whole, 1}, arithmetic, exact_options);
    const Judgement fast = judge_fast({&whole, 1}, arithmetic, fast_options);
    EXPECT_EQ(exact_map, fast_map);
    EXPECT_EQ(exact.trivial_differs, fast.trivial_differs);
    EXPECT_EQ(exact.trivial_accepted, fast.trivial_accepted);
    elements += exact.elements;
    return exact.wrong;
  }

 private:
  Format out_;
  float factor_;
  Index length_ = 0;
  std::vector<float> a_, b_;
  std::vector<char> got_;
};

// Splits a number into floats that sum up to it, as far as they reach.
void append_parts(std::vector<float>& terms, double value, int count) {
  for (int i = 0; i < count; ++i) {
    const auto part = static_cast<float>(value);
    terms.push_back(part);
    value -= part;
  }
}

// y lies at a distance d from the numbers that round to got, and pairs that cancel make S such
// that E is d but for a relative difference of 2^-12 down to 2^-52.
std::vector<float> edge_terms(double y, double distance, const ErrorBound& bound, double scale,
                              std::mt19937_64& random) {
  const double sign = random() % 2 == 0 ? 1 : -1;
  const double relative = sign * std::ldexp(1.0, -12 - static_cast<int>(random() % 41));
  const double gauge = (distance * (1 + relative) - bound.floor) / bound.slope;
  // Multiples of this keep every sum of an element within 53 bits.
  const double quantum = std::ldexp(1.0, std::ilogb(y) - 42);
  const double half = std::round((gauge - std::abs(y)) / 2 / quantum) * quantum;
  std::vector<float> terms;
  append_parts(terms, y / scale, 2);
  append_parts(terms, half / scale, 3);
  for (int i = 2; i < 5; ++i) { terms.push_back(-terms[i]); }
  return terms;
}

void expect_agreement_at_the_edge(Format out, double size, double factor) {
  std::mt19937_64 random(9);
  const Reduction reduction{.length = 8, .a = Format::kFp32, .b = Format::kFp32, .out = out};
  const ErrorBound bound = error_bound(kFp32Fma, reduction);
  Index wrong = 0, elements = 0;
  for (int round = 0; round < 8; ++round) {
    Column column(out, static_cast<float>(factor));
    for (int i = 0; i < 500; ++i) {
      const double number = std::ldexp(1 + static_cast<double>(random() % 4096) / 4096,
                                       static_cast<int>(random() % 3));
      const Place place = round_to_line(out, number * size);
      const double border = midpoint_above(out, place);
      const double distance = border * std::ldexp(1.0, -13 - static_cast<int>(random() % 4));
      const bool above = random() % 2 == 0;
      const double y = above ? border + distance : border - distance;
      column.add(edge_terms(y, distance, bound, factor, random),
                 bits_at(out, above ? place : place + 1));
    }
    wrong += column.judge(kFp32Fma, false, elements);
  }
  // The edge is in the middle of the cases.
  EXPECT_GT(wrong, elements / 4);
  EXPECT_LT(wrong, elements * 3 / 4);
}

TEST(JudgeEdges, BoundsAreMetToTheLastBit) {
  expect_agreement_at_the_edge(Format::kBf16, 1, 1);
  expect_agreement_at_the_edge(Format::kFp16, 16, 0.25);
  // Small enough for the gauge in fp64, and still a multiple of one quantum.
  expect_agreement_at_the_edge(Format::kBf16, 0x1p-90, 0x1p-40);
}

// Random terms of 48-bit products, then corrections that bring the sum to the boundary and
// `offset` beyond it.
std::vector<float> near_tie_terms(Index count, double border, double offset,
                                  const std::function<float()>& draw) {
  std::vector<float> terms;
  for (Index i = 0; i < count; ++i) { terms.push_back(draw()); }
  Fixed sum = 0;
  for (const float term : terms) { sum += to_fixed(term); }
  Fixed rest = to_fixed(border) + to_fixed(offset) - sum;
  for (int i = 0; i < 8; ++i) {
    const auto part = static_cast<float>(to_nearest(rest));
    terms.push_back(part);
    rest -= to_fixed(part);
  }
  EXPECT_EQ(rest, 0);
  return terms;
}

void expect_agreement_near_ties(Format out, Index count, int lowest_exponent, int spread) {
  std::mt19937_64 random(31);
  Index wrong = 0, elements = 0;
  for (int round = 0; round < 6; ++round) {
    Column column(out, 1);
    for (int i = 0; i < 200; ++i) {
      const auto draw = [&] {
        const auto significand =
            static_cast<float>(static_cast<std::int32_t>(random() >> 40) - (1 << 23));
        return std::ldexp(significand, lowest_exponent + static_cast<int>(random() % spread));
      };
      const Place place = round_to_line(out, 1 + static_cast<double>(random() % 64) / 128);
      const double border = midpoint_above(out, place);
      // On the tie, or one or a few of the smallest steps beside it.
      const double offset = std::ldexp(static_cast<double>(random() % 7) - 3, lowest_exponent);
      column.add(near_tie_terms(count, border, offset, draw),
                 bits_at(out, random() % 2 == 0 ? place : place + 1));
    }
    wrong += column.judge(kFp32Fma, true, elements);
  }
  EXPECT_GT(wrong, elements / 4);
  EXPECT_LT(wrong, elements * 3 / 4);
}

TEST(JudgeEdges, TiesAreToldFromTheirNeighbours) {
  for (const Format out : {Format::kBf16, Format::kFp16, Format::kFp32}) {
    // Steps so small that fp64 sums of 40 and 300 terms do not hold them.
    expect_agreement_near_ties(out, 40, -60, 40);
    expect_agreement_near_ties(out, 300, -54, 30);
    expect_agreement_near_ties(out, 300, -50, 28);
    // Sums that fp64 holds.
    expect_agreement_near_ties(out, 40, -40, 18);
  }
}

TEST(JudgeEdges, OverflowBeginsWithTheBoundsOwnRange) {
  // S is 2^127, or one step of fp32 below.
  for (const float last : {0x1p126F, 0x1.fffffep125F}) {
    Column column(Format::kFp32, 1);
    column.add({0x1p126F, -last}, 0);
    const Product product = column.product();
    const bool overflows = last == 0x1p126F;
    EXPECT_EQ(judge_exact({&product, 1}, kFp32Fma, {}).overflowing, overflows);
    EXPECT_EQ(judge_fast({&product, 1}, kFp32Fma, {}).overflowing, overflows);
    EXPECT_EQ(judge_fast({&product, 1}, kFp32Fma, {.exact_input = true}).overflowing, overflows);
  }
}

}  // namespace
}  // namespace assay::oracle
