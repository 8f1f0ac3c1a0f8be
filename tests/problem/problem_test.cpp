#include "src/problem/problem.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "src/problem/case_text.h"
#include "src/problem/row_layout.h"
#include "tests/problem/parsed.h"
#include "tests/problem/product_view.h"
#include "tests/problem/random_case.h"

namespace assay {
namespace {

std::uint64_t digest(const Problem& problem) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const Role role : {Role::kX, Role::kW, Role::kY}) {
    for (const std::byte byte : problem.operands[role].bits) {
      hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
    }
  }
  return hash;
}

TEST(MakeProblem, SizesAndPlacesFollowTheCase) {
  const Problem problem = made("pass=dgrad in=fp16 k=5 n=7 rows=3,0,4 tail=2 weights=ekn out=fp32");
  EXPECT_THAT(problem.dense_starts, testing::ElementsAre(0, 3, 3, 7));
  EXPECT_EQ(problem.layout.physical_rows, 9);
  EXPECT_THAT(problem.offsets.values, testing::ElementsAre(3, 3, 7));
  EXPECT_EQ(problem.operands.x.rows, 7);
  EXPECT_EQ(problem.operands.x.cols, 5);
  EXPECT_EQ(problem.operands.w.rows, 3 * 5);
  EXPECT_EQ(problem.operands.w.cols, 7);
  EXPECT_EQ(problem.operands.y.cols, 7);
  EXPECT_EQ(problem.operands.x.format, Format::kFp32);  // the output
  EXPECT_EQ(problem.operands.y.format, Format::kFp16);
  EXPECT_EQ(problem.operands.x.bits.size(), 7u * 5u * 4u);
  EXPECT_EQ(&problem.output(), &problem.operands.x);
}

TEST(MakeProblem, TheOutputIsZeroUnlessTheKernelAccumulates) {
  for (const Fill fill : kAllFills) {
    CaseSpec spec = parsed("pass=wgrad k=5 n=7 rows=3,4 out=fp32");
    spec.fill = fill;
    const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
    const Problem fresh = make_problem(spec);
    EXPECT_TRUE(std::all_of(fresh.output().bits.begin(), fresh.output().bits.end(), is_zero));
    spec.acc = 1;
    const Problem kept = make_problem(spec);
    for (Index k = 0; k < 5; ++k) { EXPECT_NE(ProductView(kept, 1).c(k, 6), 0) << name(fill); }
  }
}

// The golden digests hold under every compiler and build type.
TEST(MakeProblem, ValuesAreTheSameOnEveryMachine) {
  const struct {
    const char* words;
    std::uint64_t digest;
  } golden[] = {
      {"pass=fwd k=70 n=33 rows=9,0,5 seed=1", 0xd1878be5e721d46du},
      {"pass=dgrad k=33 n=70 rows=9,5 in=fp16 fill=anchored", 0xa63f64b009b806a5u},
      {"pass=wgrad k=9 n=11 rows=300,70,2 out=fp32 acc=2 fill=anchored weights=ekn",
       0xce7a4d25706f3a6cu},
      {"pass=fwd k=700 n=5 rows=9,5 fill=sparse", 0x813f42b4b3920d35u},
      {"pass=fwd k=70 n=5 rows=9,5 in=e4m3 out=bf16 fill=coded", 0xd00ec7ddea5558fcu},
      {"pass=fwd k=70 n=33 rows=9,5 fill=normal", 0x54e4749faedcdf78u},
      {"pass=wgrad k=7 n=33 rows=9,5 in=fp32 fill=normal acc=1", 0x20d1b286c9e820a8u},
      {"pass=fwd k=70 n=33 rows=9,5 in=fp16 fill=positive", 0xd9b3c34717bff2u},
      {"pass=dgrad k=70 n=33 rows=9,5 in=e5m2 out=fp32 fill=lognormal", 0xcaf8d83287205d2cu},
      {"pass=dgrad k=70 n=33 rows=9,5 in=fp32 fill=cancelling", 0x19c7099e1ed05c4eu},
      {"pass=wgrad k=70 n=33 rows=90,50 fill=special", 0x581edec91f770e8u},
  };
  for (const auto& known : golden) {
    EXPECT_EQ(digest(made(known.words)), known.digest)
        << known.words << " 0x" << std::hex << digest(made(known.words));
  }
}

RC_GTEST_PROP(MakeProblem, BothWeightLayoutsHoldTheSameValues, ()) {
  CaseSpec spec = *any_case();
  for (const WeightsLayout layout : {WeightsLayout::kEkn, WeightsLayout::kEnk}) {
    spec.weights = layout;
    use_whole_bytes(spec);  // of either layout
  }
  const Problem enk = make_problem(spec);
  spec.weights = WeightsLayout::kEkn;
  const Problem ekn = make_problem(spec);
  RC_ASSERT(enk.operands.x.bits == ekn.operands.x.bits);
  RC_ASSERT(enk.operands.y.bits == ekn.operands.y.bits);
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    for (Index k = 0; k < spec.k; ++k) {
      for (Index n = 0; n < spec.n; ++n) {
        const double value = ProductView(enk, expert).w(k, n);
        const double other = ProductView(ekn, expert).w(k, n);
        RC_ASSERT((value == other && std::signbit(value) == std::signbit(other)) ||
                  (std::isnan(value) && std::isnan(other)));
      }
    }
  }
}

RC_GTEST_PROP(MakeProblem, PlacementChangesNoValue, ()) {
  CaseSpec spec = *any_case();
  spec.pointers = std::min(spec.pointers, Pointers::kScattered);  // shared weights are others
  CaseSpec plain = spec;
  plain.pointers = Pointers::kInOrder;
  plain.offsets = plain.told = {};
  plain.pad = 1;
  plain.cap = plain.tail = plain.wpitch = 0;
  plain.ld = plain.base = {};
  plain.tactic = "default";
  plain.exec = {};
  RC_ASSERT(digest(make_problem(plain)) == digest(make_problem(spec)));
}

// Real values do not even depend on the sizes of a case: a failure stays while it shrinks.
RC_GTEST_PROP(MakeProblem, RealValuesSurviveShrinking, ()) {
  CaseSpec spec = *any_case();
  spec.fill = *rc::gen::element(Fill::kNormal, Fill::kPositive, Fill::kLognormal);
  // What is quantised has the scales of what is left.
  RC_PRE(spec.fill != Fill::kNormal || !spec.in.scaled());
  CaseSpec small = spec;
  small.rows.resize(*rc::gen::inRange<std::size_t>(1, spec.rows.size() + 1));
  for (Index& rows : small.rows) { rows = *rc::gen::inRange<Index>(0, rows + 1); }
  small.k = *rc::gen::inRange<Index>(1, spec.k + 1);
  small.n = *rc::gen::inRange<Index>(1, spec.n + 1);
  use_whole_bytes(small);
  const Problem large_problem = make_problem(spec), small_problem = make_problem(small);
  for (Index expert = 0; expert < small.experts(); ++expert) {
    const ProductView large_view(large_problem, expert), small_view(small_problem, expert);
    for (Index k = 0; k < small.k; ++k) {
      for (Index n = 0; n < small.n; ++n) { RC_ASSERT(large_view.w(k, n) == small_view.w(k, n)); }
      for (Index row = 0; row < small_view.rows(); ++row) {
        RC_ASSERT(large_view.x(row, k) == small_view.x(row, k));
      }
    }
  }
}

TEST(MakeProblem, ExpertsThatShareAMatrixHaveItsValues) {
  for (const Fill fill : kAllFills) {
    CaseSpec spec = parsed("pass=fwd k=40 n=9 rows=5*12 offsets=problems pointers=shared seed=4");
    spec.fill = fill;
    const Problem problem = make_problem(spec);
    Index sharers = 0;
    for (Index expert = 0; expert < spec.experts(); ++expert) {
      const Index owner = weights_owner(spec, expert);
      if (owner == expert) { continue; }
      ++sharers;
      const ProductView own(problem, expert), other(problem, owner);
      Index rows_differ = 0;
      for (Index k = 0; k < spec.k; ++k) {
        for (Index n = 0; n < spec.n; ++n) {
          ASSERT_EQ(std::bit_cast<std::uint64_t>(own.w(k, n)),
                    std::bit_cast<std::uint64_t>(other.w(k, n)))
              << name(fill);
        }
        rows_differ += own.x(3, k) != other.x(3, k) ? 1 : 0;
      }
      EXPECT_GT(rows_differ, 0) << name(fill);
    }
    EXPECT_EQ(sharers, 3);
  }
}

TEST(MakeProblem, ThreadsChangeNothing) {
  for (const char* words : {"pass=fwd k=700 n=600 rows=300,0,900 fill=anchored weights=ekn",
                            "pass=wgrad k=700 n=600 rows=300,900 fill=special",
                            "pass=wgrad k=700 n=600 rows=300,900 fill=sparse",
                            "pass=dgrad k=1500 n=600 rows=300,900 fill=cancelling"}) {
    const CaseSpec spec = parsed(words);
    const std::uint64_t alone = digest(make_problem(spec, {.threads = 1}));
    EXPECT_EQ(digest(make_problem(spec, {.threads = 2})), alone) << words;
    EXPECT_EQ(digest(make_problem(spec, {.threads = 7})), alone) << words;
  }
}

TEST(MakeProblem, ExpertsDifferInEveryFill) {
  for (const Pass pass : kAllPasses) {
    for (const Fill fill : kAllFills) {
      CaseSpec spec = parsed("pass=fwd k=40 n=40 rows=40*4");
      spec.pass = pass;
      spec.fill = fill;
      const Problem problem = make_problem(spec);
      for (Index other = 1; other < 4; ++other) {
        const ProductView first(problem, 0), second(problem, other);
        Index different = 0;
        for (Index r = 0; r < 40; ++r) {
          for (Index n = 0; n < 40; ++n) { different += first.b(r, n) != second.b(r, n) ? 1 : 0; }
        }
        EXPECT_GT(different, 0) << name(pass) << ' ' << name(fill);
      }
    }
  }
}

TEST(MakeProblem, SeedsDiffer) {
  for (const Fill fill : kAllFills) {
    CaseSpec spec = parsed("pass=wgrad k=40 n=40 rows=40*4 seed=1");
    spec.fill = fill;
    const std::uint64_t first = digest(make_problem(spec));
    spec.seed = 2;
    EXPECT_NE(digest(make_problem(spec)), first) << name(fill);
  }
}

}  // namespace
}  // namespace assay
