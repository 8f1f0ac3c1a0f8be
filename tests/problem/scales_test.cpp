#include "src/problem/scales.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/problem/case_text.h"
#include "tests/problem/parsed.h"

namespace assay {
namespace {

using testing::HasSubstr;

double scale_at(const DenseScales& scales, Index row, Index col) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, scales.element(row, col),
              static_cast<std::size_t>(traits(scales.format).size_bytes));
  return decode(scales.format, bits);
}

TEST(Scaling, RecipesAndBlocksReadBackAsTheyArePrinted) {
  for (const char* const text : {"tensor", "row", "block128", "mx", "1x128,128x128:fp32",
                                 "allx32,1xall:e8m0", "4x16,4x16:e4m3"}) {
    const Result<ScalingPair> pair = parse_scalings(text);
    ASSERT_TRUE(pair.has_value()) << text;
    EXPECT_EQ(joint_name(pair->a, pair->b), text);
  }
  EXPECT_EQ(name(*parse_scaling("1x64")), "1x64:fp32");
  EXPECT_EQ(short_text(parsed("pass=fwd in=e4m3/1x64 out=bf16 k=8 n=8 rows=4")),
            "pass=fwd in=e4m3/1x64,1x64:fp32 out=bf16 k=8 n=8 rows=4");
}

TEST(Scaling, WhatMakesNoSenseIsRefusedInOneLine) {
  const std::pair<const char*, const char*> refused[] = {
      {"in=bf16/row out=bf16", "scales belong to codes of 8 bits and fewer"},
      {"in=e4m3/ out=bf16", "is no recipe of scales"},
      {"in=e4m3/blocks out=bf16", "is no recipe of scales"},
      {"in=e4m3/0x128 out=bf16", "is no recipe of scales"},
      {"in=e4m3/1x128,2 out=bf16", "is no recipe of scales"},
      {"in=e4m3/1x2097152 out=bf16", "is no recipe of scales"},
      {"in=e4m3/1x128:bf16 out=bf16", "is no format of scales: fp32, e8m0 or e4m3"},
      {"in=e4m3/row out=e2m1", "the output is"},
      {"in=e4m3/row out=bf16/tensor", "an output with a scale has 8 bits: e4m3, e5m2"},
      {"in=bf16 out=e4m3/row", "'/row' is not a scale of an output; write e4m3/tensor"}};
  for (const auto& [words, why] : refused) {
    const auto spec = parse_case(std::string("pass=fwd k=8 n=8 rows=4 ") + words);
    ASSERT_FALSE(spec.has_value()) << words;
    EXPECT_THAT(spec.error().message, HasSubstr(why));
    EXPECT_EQ(spec.error().message.find('\n'), std::string::npos);
  }
}

struct Laid {
  const char* words;
  Role role;
  Index block_rows, block_cols, rows, cols;
  const char* out = "bf16";
};

TEST(Scaling, BlocksBeginWithEachExpert) {
  // k = 300, n = 200, experts of 130, 0 and 5 rows.
  const Laid laid[] = {{"pass=fwd in=e4m3/block128", Role::kX, 1, 128, 135, 3},
                       {"pass=fwd in=e4m3/block128", Role::kW, 128, 128, 3 * 3, 2},
                       {"pass=dgrad in=e4m3/block128", Role::kY, 1, 128, 135, 2},
                       {"pass=dgrad in=e4m3/block128", Role::kW, 128, 128, 3 * 3, 2},
                       {"pass=wgrad in=e4m3/block128", Role::kX, 128, 1, 2 + 0 + 1, 300},
                       {"pass=wgrad in=e4m3/block128", Role::kY, 128, 1, 2 + 0 + 1, 200},
                       {"pass=fwd in=e4m3/row", Role::kX, 1, 0, 135, 1},
                       {"pass=fwd in=e4m3/row", Role::kW, 0, 1, 3, 200},
                       {"pass=dgrad in=e4m3/row", Role::kW, 1, 0, 3 * 300, 1},
                       {"pass=wgrad in=e4m3/row", Role::kX, 0, 1, 3, 300},
                       {"pass=fwd in=e4m3/tensor", Role::kX, 0, 0, 1, 1},
                       {"pass=fwd in=e4m3/tensor", Role::kW, 0, 0, 3, 1},
                       {"pass=fwd in=e4m3/mx", Role::kX, 1, 32, 135, 10},
                       {"pass=fwd in=e4m3/mx", Role::kW, 32, 1, 3 * 10, 200},
                       {"pass=fwd in=e4m3/nv", Role::kX, 1, 16, 135, 19},
                       {"pass=fwd in=e4m3/nv", Role::kW, 16, 1, 3 * 19, 200},
                       {"pass=fwd in=e4m3/block128", Role::kY, 0, 0, 0, 0},
                       {"pass=fwd in=e4m3/block128", Role::kY, 0, 0, 1, 1, "e4m3/tensor"},
                       {"pass=wgrad in=bf16", Role::kW, 0, 0, 3, 1, "e5m2/tensor"},
                       {"pass=fwd in=bf16", Role::kX, 0, 0, 0, 0, "e4m3/tensor"}};
  for (const Laid& one : laid) {
    SCOPED_TRACE(one.words);
    const CaseSpec spec =
        parsed(std::string(one.words) + " out=" + one.out + " k=300 n=200 rows=130,0,5");
    const DenseScales scales = lay_out_scales(spec, one.role);
    EXPECT_EQ(scales.block_rows, one.block_rows);
    EXPECT_EQ(scales.block_cols, one.block_cols);
    EXPECT_EQ(scales.rows, one.rows);
    EXPECT_EQ(scales.cols, one.cols);
  }
}

// With the names of the pass's operands for A and B.
std::string of_pass(std::string inputs, std::string_view pass) {
  if (inputs.front() != 'A') { return inputs; }
  inputs.front() = pass == "dgrad" ? 'y' : 'x';
  inputs.at(inputs.find('B')) = pass == "wgrad" ? 'y' : 'w';
  return inputs;
}

// Code times scale of an exact fill is the number that the case without scales holds.
TEST(Scaling, ExactFillsKeepTheirNumbers) {
  for (const char* const fill : {"integers", "anchored", "coded", "sparse"}) {
    for (const char* const pass : {"fwd", "dgrad", "wgrad"}) {
      for (const char* const inputs :
           {"e4m3/tensor", "e4m3/row", "e4m3/block128", "e4m3/mx", "e4m3/nv", "e4m3/3x5,2x4:e4m3",
            "A:bf16,B:e4m3/block128", "A:e5m2/mx,B:e4m3/row", "A:e4m3/3x5,B:fp16"}) {
        SCOPED_TRACE(std::string(fill) + pass + inputs);
        const Problem scaled = made(std::string("out=fp32 k=150 n=140 rows=3,0,131 fill=") + fill +
                                    " seed=9 pass=" + pass + " in=" + of_pass(inputs, pass));
        CaseSpec codes = scaled.spec;
        codes.in.a.scaling = codes.in.b.scaling = {};
        const Problem plain = make_problem(codes);
        for (const Role role : kAllRoles) {
          const DenseScales& scales = scaled.scales[role];
          if (!scales.present()) { continue; }
          const DenseOperand &before = plain.operands[role], &after = scaled.operands[role];
          Index different = 0;
          for (Index expert = 0; expert < plain.spec.experts(); ++expert) {
            const bool weights = role == Role::kW;
            const Index rows =
                weights ? before.rows / plain.spec.experts() : plain.spec.rows[expert];
            const Index first = weights ? expert * rows : plain.dense_starts[expert];
            for (Index row = 0; row < rows; ++row) {
              for (Index col = 0; col < before.cols; ++col) {
                // w is stored [n, k].
                const Index own_row = weights ? col : row, own_col = weights ? row : col;
                const double scale =
                    scales.tensor_scale(expert) *
                    scale_at(scales,
                             scales.first[expert] +
                                 (scales.block_rows == 0 ? 0 : own_row / scales.block_rows),
                             scales.block_cols == 0 ? 0 : own_col / scales.block_cols);
                const auto value = [&](const DenseOperand& operand) {
                  return decode(operand.format,
                                load_bits(operand.format, operand.element(first + row, col)));
                };
                ASSERT_EQ(value(before), value(after) * scale);
                different += scale != 1 ? 1 : 0;
              }
            }
          }
          if (scales.rows * scales.cols > 1) { EXPECT_GT(different, 0); }
        }
      }
    }
  }
}

TEST(Scaling, NeighbouringBlocksAndExpertsDiffer) {
  const CaseSpec spec = parsed("pass=fwd in=e4m3/block128 out=bf16 k=512 n=512 rows=9,9,9");
  const auto exponent = [&](Index expert, Index row, Index col) {
    return exact_scale_exponent(spec, Role::kW, expert, row, col);
  };
  for (Index expert = 0; expert < 2; ++expert) {
    for (Index row = 0; row < 3; ++row) {
      for (Index col = 0; col < 3; ++col) {
        EXPECT_NE(exponent(expert, row, col), exponent(expert + 1, row, col));
        EXPECT_NE(exponent(expert, row, col), exponent(expert, row + 1, col));
        EXPECT_NE(exponent(expert, row, col), exponent(expert, row, col + 1));
        EXPECT_NE(exponent(expert, row, col + 1), exponent(expert, row + 1, col));
      }
    }
  }
}

// Of exact fills powers of two below 1, others for neighbouring experts' weights.
TEST(Scaling, TensorsHaveScalesOfTheirOwn) {
  for (const char* const fill : {"integers", "normal", "lognormal"}) {
    const Problem problem =
        made(std::string("pass=fwd in=e2m1/nv out=fp32 k=64 n=8 rows=9,0,3 fill=") + fill);
    const DenseScales &x = problem.scales.x, &w = problem.scales.w;
    ASSERT_EQ(std::ssize(x.tensor_scales), 1);
    ASSERT_EQ(std::ssize(w.tensor_scales), 3);
    EXPECT_EQ(x.tensor_scale(0), x.tensor_scale(2));
    for (Index expert = 0; expert < 3; ++expert) {
      EXPECT_TRUE(w.tensor_scale(expert) > 0 && w.tensor_scale(expert) < 1);
      EXPECT_NE(w.tensor_scale(expert), w.tensor_scale((expert + 1) % 3)) << fill;
    }
  }
  EXPECT_EQ(made("pass=fwd in=e2m1/mx out=fp32 k=64 n=8 rows=9").scales.x.tensors, 0);
  bool nan = false, zero = false, large = false;
  const Problem special =
      made("pass=fwd in=e2m1/nv out=fp32 k=64 n=8 rows=2*64 fill=special seed=3");
  for (const float scale : special.scales.w.tensor_scales) {
    nan |= std::isnan(scale);
    zero |= scale == 0;
    large |= scale > 0x1p16F;
  }
  EXPECT_TRUE(nan && zero && large);
  int cases_of_nan = 0;
  for (int seed = 0; seed < 64; ++seed) {
    const Problem one = made("pass=fwd in=e2m1/nv out=fp32 k=16 n=2 rows=2 fill=special seed=" +
                             std::to_string(seed));
    cases_of_nan += std::isnan(one.scales.x.tensor_scale(0)) ? 1 : 0;
  }
  EXPECT_GT(cases_of_nan, 2);
  EXPECT_LT(cases_of_nan, 20);
}

// What numbers grow by is what the plan takes off the budget.
TEST(Scaling, ExactFillsPayForScalesThatCodesHaveNoRoomFor) {
  const auto largest = [](const CaseSpec& spec, Role role) {
    int most = 0;
    for (Index at = 0; at < 60; ++at) {
      most = std::max(most, exact_scale_exponent(spec, role, at / 15, at / 5 % 3, at % 5));
    }
    return most;
  };
  for (const char* const fill : {"integers", "anchored", "sparse", "coded"}) {
    const CaseSpec spec = parsed(std::string("pass=fwd in=x:e4m3/mx,w:e2m1/mx out=fp32 k=64 n=8 "
                                             "rows=9 fill=") +
                                 fill);
    const bool coded = spec.fill == Fill::kCoded;
    EXPECT_EQ(largest(spec, Role::kW), coded ? 0 : 3) << fill;
    EXPECT_EQ(exact_scale_bits(spec, Role::kW), coded ? 0 : 3) << fill;
    EXPECT_EQ(largest(spec, Role::kX), 4) << fill;
    EXPECT_EQ(exact_scale_bits(spec, Role::kX), 0) << fill;
  }
}

TEST(Scaling, SpecialFillsHaveScalesOfEveryKind) {
  const Problem problem =
      made("pass=fwd in=e4m3/1x4,4x4:fp32 out=fp32 k=64 n=64 rows=40,60 fill=special seed=3");
  bool nan = false, zero = false, subnormal = false, large = false;
  const DenseScales& scales = problem.scales.x;
  for (Index row = 0; row < scales.rows; ++row) {
    for (Index col = 0; col < scales.cols; ++col) {
      const double value = scale_at(scales, row, col);
      nan |= std::isnan(value);
      zero |= value == 0;
      subnormal |= value > 0 && value < 0x1p-126;
      large |= value > 0x1p16;
    }
  }
  EXPECT_TRUE(nan && zero && subnormal && large);
}

}  // namespace
}  // namespace assay
