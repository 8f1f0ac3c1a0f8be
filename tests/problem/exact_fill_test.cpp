// The promises of the exact fills, by brute force over every product.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "src/problem/case_text.h"
#include "src/problem/problem.h"
#include "tests/problem/parsed.h"
#include "tests/problem/product_view.h"
#include "tests/problem/random_case.h"

namespace assay {
namespace {

template <class Visit>
void for_each_output(const Problem& problem, const Visit& visit) {
  for (Index expert = 0; expert < problem.spec.experts(); ++expert) {
    const ProductView view(problem, expert);
    for (Index m = 0; m < view.m(); ++m) {
      for (Index n = 0; n < view.n(); ++n) { visit(view, m, n); }
    }
  }
}

RC_GTEST_PROP(ExactFill, EveryPartialSumFitsTheAccumulator, ()) {
  CaseSpec spec = *any_case();
  spec.in.a.scaling = spec.in.b.scaling = {};  // numbers are code times scale: scales_test.cpp
  spec.fill = *rc::gen::element(Fill::kIntegers, Fill::kAnchored, Fill::kCoded, Fill::kSparse);
  const int exact_bits = *rc::gen::element(8, 11, 14, 24);
  const Problem problem = make_problem(spec, {.exact_bits = exact_bits});
  for_each_output(problem, [&](const ProductView& view, Index m, Index n) {
    const ExactOutput output = exact_output_of(view, m, n, std::max(1, spec.acc));
    RC_ASSERT(output.gauge <= std::ldexp(1, exact_bits));
    RC_ASSERT(output.value == std::floor(output.value));
  });
}

RC_GTEST_PROP(ExactFill, AnchoredAndSparseOutputsAreRepresentable, ()) {
  CaseSpec spec = *any_case();
  spec.in.a.scaling = spec.in.b.scaling = {};  // numbers are code times scale: scales_test.cpp
  spec.fill = *rc::gen::element(Fill::kAnchored, Fill::kSparse, Fill::kCoded);
  RC_PRE(!traits(spec.out).code);  // 8 bits hold few sums
  const Problem problem = make_problem(spec);
  for_each_output(problem, [&](const ProductView& view, Index m, Index n) {
    const double value = exact_output_of(view, m, n, std::max(1, spec.acc)).value;
    RC_ASSERT(decode(spec.out, encode(spec.out, value)) == value);
  });
}

RC_GTEST_PROP(ExactFill, TheFirstAndLastReductionIndexAreAlwaysUsed, ()) {
  CaseSpec spec = *any_case();
  spec.in.a.scaling = spec.in.b.scaling = {};  // numbers are code times scale: scales_test.cpp
  spec.fill = *rc::gen::element(Fill::kIntegers, Fill::kAnchored, Fill::kSparse);
  const Problem problem = make_problem(spec);
  for_each_output(problem, [&](const ProductView& view, Index m, Index) {
    if (view.reduction() == 0) { return; }
    RC_ASSERT(view.a(m, 0) != 0);
    RC_ASSERT(view.a(m, view.reduction() - 1) != 0);
  });
}

// The anchors of an output: the reduction indices of its two largest products.
struct Anchors {
  Index plus = -1, minus = -1;
  double size = 0;
};
Anchors anchors_of(const ProductView& view, Index m, Index n) {
  Anchors anchors;
  for (Index r = 0; r < view.reduction(); ++r) {
    const double product = view.a(m, r) * view.b(r, n);
    if (std::abs(product) < anchors.size) { continue; }
    if (std::abs(product) > anchors.size) { anchors = {-1, -1, std::abs(product)}; }
    (product > 0 ? anchors.plus : anchors.minus) = r;
  }
  return anchors;
}

struct AnchorCase {
  const char* words;
  int exact_bits;
  int exponent;
};
void PrintTo(const AnchorCase& anchor, std::ostream* stream) { *stream << anchor.words; }

class AnchoredFill : public testing::TestWithParam<AnchorCase> {};
INSTANTIATE_TEST_SUITE_P(
    All, AnchoredFill,
    testing::Values(AnchorCase{"pass=fwd k=96 n=40 rows=3,0,5", 24, 22},
                    AnchorCase{"pass=fwd k=96 n=40 rows=3,5 weights=ekn", 24, 22},
                    AnchorCase{"pass=dgrad k=40 n=96 rows=3,5 in=fp16", 24, 22},
                    AnchorCase{"pass=dgrad k=40 n=96 rows=3,5 weights=ekn", 24, 22},
                    AnchorCase{"pass=wgrad k=9 n=40 rows=96,64,130 out=fp32", 24, 22},
                    AnchorCase{"pass=wgrad k=9 n=40 rows=96,64 out=fp32 acc=2", 24, 21},
                    AnchorCase{"pass=fwd k=96 n=40 rows=3 in=e4m3 out=bf16", 24, 16},
                    AnchorCase{"pass=fwd k=96 n=40 rows=3 in=e5m2 out=fp32", 24, 22},
                    AnchorCase{"pass=fwd k=96 n=40 rows=3 in=e4m3 out=fp32", 14, 12},
                    AnchorCase{"pass=fwd k=700 n=40 rows=3", 11, 9},
                    AnchorCase{"pass=fwd k=5000 n=8 rows=3 in=fp16 out=fp16", 24, 22}));

TEST_P(AnchoredFill, EveryOutputHasACancellingPairOfThePromisedSize) {
  const CaseSpec spec = parsed(std::string(GetParam().words) + " fill=anchored seed=5");
  const Problem problem = make_problem(spec, {.exact_bits = GetParam().exact_bits});
  std::set<std::pair<Index, Index>> pairs;
  Index small_outputs = 0;
  for_each_output(problem, [&](const ProductView& view, Index m, Index n) {
    const Anchors anchors = anchors_of(view, m, n);
    ASSERT_EQ(anchors.size, std::ldexp(1, GetParam().exponent));
    ASSERT_GE(anchors.plus, 0);
    ASSERT_GE(anchors.minus, 0);
    pairs.insert({anchors.plus, anchors.minus});
    const ExactOutput output = exact_output_of(view, m, n, 1);
    small_outputs += output.value != 0 ? 1 : 0;
    const double beside = output.gauge - 2 * anchors.size;
    ASSERT_GT(beside, 0);
    ASSERT_LE(beside, std::ldexp(1, traits(spec.out).significand_bits));
  });
  EXPECT_GT(pairs.size(), 4u);
  EXPECT_GT(small_outputs, 0);
}

TEST(AnchoredFill, ReductionsBelowThreeHoldPlainIntegers) {
  for (const char* words : {"pass=fwd k=2 n=9 rows=9", "pass=wgrad k=9 n=9 rows=2,1,0"}) {
    const Problem problem = make_problem(parsed(std::string(words) + " fill=anchored"));
    for_each_output(problem, [](const ProductView& view, Index m, Index n) {
      EXPECT_LE(exact_output_of(view, m, n, 1).gauge, 256);
    });
  }
}

TEST(SparseFill, EveryTileBorderIsCoveredByEveryRowWithinTheBudget) {
  const Problem problem = make_problem(parsed("pass=fwd k=4096 n=1 rows=4 fill=anchored"));
  const ProductView view(problem, 0);
  for (Index m = 0; m < view.m(); ++m) {
    Index nonzeros = 0;
    for (Index r = 0; r < view.reduction(); ++r) {
      if (view.a(m, r) != 0) { ++nonzeros; }
      if (r % 64 == 0 || r % 64 == 63) { ASSERT_NE(view.a(m, r), 0) << m << ' ' << r; }
    }
    EXPECT_LE(nonzeros, 256 + 16);
  }
}

// Beyond two nonzeros a tile the rows take turns.
TEST(SparseFill, EveryTileBorderOfALongReductionIsCoveredBySomeRow) {
  for (const Index k : {Index{14336}, Index{40000}}) {
    const Problem problem =
        make_problem(parsed("pass=fwd n=1 rows=16 fill=sparse k=" + std::to_string(k)));
    const ProductView view(problem, 0);
    for (Index m = 0; m < view.m(); ++m) {
      EXPECT_NE(view.a(m, 0), 0) << k << ' ' << m;
      EXPECT_NE(view.a(m, k - 1), 0) << k << ' ' << m;
    }
    for (Index r = 0; r < k; ++r) {
      if (r % 64 != 0 && r % 64 != 63) { continue; }
      bool covered = false;
      for (Index m = 0; m < view.m(); ++m) { covered = covered || view.a(m, r) != 0; }
      EXPECT_TRUE(covered) << k << ' ' << r;
    }
  }
}

// Not only the outputs at hand: no choice of signs leaves the integers that the format holds.
TEST(SparseFill, TheGaugeItselfIsRepresentable) {
  for (const char* words : {"pass=fwd k=5000 n=2 rows=2*4", "pass=fwd k=5000 n=2 rows=2*4 in=fp16",
                            "pass=dgrad k=2 n=1030 rows=2*4", "pass=wgrad k=2 n=2 rows=900,1800"}) {
    const Problem problem = make_problem(parsed(std::string(words) + " fill=sparse"));
    for_each_output(problem, [&](const ProductView& view, Index m, Index n) {
      const double most = std::ldexp(1, traits(problem.spec.out).significand_bits);
      const double gauge = exact_output_of(view, m, n, 1).gauge;
      EXPECT_LE(gauge, most) << words;
      EXPECT_GE(gauge, most / 4) << words;
    });
  }
}

TEST(SparseFill, AQuarterIsNonzeroAtMost) {
  const Problem problem = make_problem(parsed("pass=wgrad k=50 n=3 rows=200,7,64 fill=sparse"));
  for (Index expert = 0; expert < 3; ++expert) {
    const ProductView view(problem, expert);
    for (Index m = 0; m < view.m(); ++m) {
      Index nonzeros = 0;
      for (Index r = 0; r < view.reduction(); ++r) { nonzeros += view.a(m, r) != 0 ? 1 : 0; }
      EXPECT_GE(nonzeros, 2);
      EXPECT_LE(nonzeros, std::max<Index>(2, view.reduction() / 4));
    }
  }
}

TEST(IntegersFill, AreTheSameInAllPasses) {
  const std::string words = " k=24 n=40 rows=5,0,9 seed=3 out=fp32";
  const Problem fwd = make_problem(parsed("pass=fwd" + words));
  const Problem dgrad = make_problem(parsed("pass=dgrad" + words));
  const Problem wgrad = make_problem(parsed("pass=wgrad" + words));
  EXPECT_EQ(fwd.operands.x.bits, wgrad.operands.x.bits);
  EXPECT_EQ(fwd.operands.w.bits, dgrad.operands.w.bits);
  EXPECT_EQ(dgrad.operands.y.bits, wgrad.operands.y.bits);
}

TEST(IntegersFill, HoldNoZeroAndManyValues) {
  const Problem problem = make_problem(parsed("pass=fwd k=64 n=64 rows=64,64"));
  std::map<double, int> x_values, w_values;
  for (Index expert = 0; expert < 2; ++expert) {
    const ProductView view(problem, expert);
    for (Index i = 0; i < 64; ++i) {
      for (Index j = 0; j < 64; ++j) {
        ++x_values[view.x(i, j)];
        ++w_values[view.w(i, j)];
      }
    }
  }
  EXPECT_EQ(x_values.count(0), 0u);
  EXPECT_EQ(x_values.size(), 8u);  // ±1 to ±4
  EXPECT_GE(w_values.size(), 6u);
}

TEST(IntegersFill, ReductionsBeyondTheBudgetBecomeSparse) {
  const Problem problem = make_problem(parsed("pass=fwd k=3000 n=2 rows=3"), {.exact_bits = 8});
  for_each_output(problem, [](const ProductView& view, Index m, Index n) {
    const ExactOutput output = exact_output_of(view, m, n, 1);
    EXPECT_LE(output.gauge, 256);
    EXPECT_GE(output.gauge, 128);
  });
}

}  // namespace
}  // namespace assay
