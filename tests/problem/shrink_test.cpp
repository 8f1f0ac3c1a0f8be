#include "src/problem/shrink.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "src/problem/problem.h"
#include "tests/problem/random_case.h"

namespace assay {
namespace {

// The components that a step may lower and must not raise.
std::vector<double> components(const CaseSpec& spec) {
  const auto sum = [](const PerOperand<Index>& of) {
    return static_cast<double>(of.x + of.w + of.y);
  };
  const auto kind = [](const OffsetsKind& of) {
    return static_cast<double>(of.convention) * 4 + static_cast<double>(of.type) * 2 +
           static_cast<double>(of.place);
  };
  std::vector<double> all = {static_cast<double>(spec.experts()),
                             static_cast<double>(total_rows(spec)),
                             static_cast<double>(spec.k),
                             static_cast<double>(spec.n),
                             static_cast<double>(spec.tail),
                             static_cast<double>(spec.cap),
                             static_cast<double>(spec.pad),
                             sum(spec.ld),
                             sum(spec.base),
                             static_cast<double>(spec.wpitch),
                             static_cast<double>(spec.scale_pitch),
                             static_cast<double>(spec.scale_layout),
                             static_cast<double>(spec.scale_starts),
                             static_cast<double>(spec.pointers),
                             kind(spec.offsets),
                             spec.told == spec.offsets ? 0.0 : 1.0,
                             static_cast<double>(spec.weights),
                             spec.tactic == "default" ? 0.0 : 1.0,
                             static_cast<double>(spec.exec.kind) * 100 + spec.exec.count,
                             static_cast<double>(spec.acc),
                             spec.bias ? 1.0 : 0.0,
                             spec.fill == Fill::kIntegers || spec.fill == Fill::kNormal ? 0.0
                             : spec.fill == Fill::kExtreme                              ? 2.0
                                                                                        : 1.0,
                             static_cast<double>(spec.seed)};
  return all;
}

RC_GTEST_PROP(Shrink, EveryStepLowersSomethingAndRaisesASeedAtMost, ()) {
  const CaseSpec spec = *any_case();
  const std::vector<double> before = components(spec);
  for (const CaseSpec& candidate : shrink_candidates(spec)) {
    const std::vector<double> after = components(candidate);
    RC_ASSERT(before != after);
    const std::size_t seed = before.size() - 1;
    for (std::size_t i = 0; i < seed; ++i) { RC_ASSERT(after[i] <= before[i]); }
    const bool fewer_experts = after[0] < before[0];
    RC_ASSERT(after[seed] <= before[seed] || (fewer_experts && after[seed] < 16));
    RC_ASSERT(is_exact(candidate.fill) == is_exact(spec.fill));
  }
}

RC_GTEST_PROP(Shrink, CandidatesAreCases, ()) {
  for (const CaseSpec& candidate : shrink_candidates(*any_case())) {
    const Result<CaseSpec> read = parse_case(canonical_text(candidate));
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == candidate);
  }
}

// Greedy, as every user of the shrinker goes.
CaseSpec shrunk(CaseSpec spec, const std::function<bool(const CaseSpec&)>& fails) {
  for (bool moved = true; moved;) {
    moved = false;
    for (const CaseSpec& candidate : shrink_candidates(spec)) {
      if (!fails(candidate)) { continue; }
      spec = candidate;
      moved = true;
      break;
    }
  }
  return spec;
}

RC_GTEST_PROP(Shrink, WithoutAnyConditionTheSimplestCaseIsReached, ()) {
  const CaseSpec spec = *any_case();
  const CaseSpec least = shrunk(spec, [](const CaseSpec&) { return true; });
  RC_ASSERT(least.experts() == 1);
  RC_ASSERT(least.rows[0] == 0);
  const Index width = traits(spec.in.a.format).packed() * traits(spec.in.b.format).packed();
  RC_ASSERT(least.k <= width && least.n <= width && least.seed == 0 && least.acc == 0);
  RC_ASSERT(least.offsets == OffsetsKind{} && least.told == OffsetsKind{});
  RC_ASSERT(components(least)[17] == 0);
}

TEST(Shrink, FindsTheSmallestFailureOfAConjunction) {
  const CaseSpec start = parse_case(
                             "pass=fwd k=4096 n=2048 rows=zipf(1.1,total=16384,experts=64) tail=9 "
                             "pad=16 offsets=starts:i64 weights=ekn ld=8 wpitch=64 base=16 "
                             "fill=anchored seed=99 tactic=m128 exec=threads:8")
                             .value();
  const CaseSpec least = shrunk(start, [](const CaseSpec& spec) {
    const auto tall =
        std::count_if(spec.rows.begin(), spec.rows.end(), [](Index rows) { return rows > 129; });
    return spec.k > 1000 && spec.n >= 17 && tall >= 2 && spec.tail > 0;
  });
  EXPECT_EQ(short_text(least), "pass=fwd k=1001 n=17 rows=130,130 tail=1");
}

TEST(Shrink, ReachesABugThatNeedsManyExperts) {
  const CaseSpec start = parse_case("pass=fwd k=8 n=8 rows=1*70000").value();
  const CaseSpec least = shrunk(start, [](const CaseSpec& spec) { return spec.experts() > 65536; });
  EXPECT_EQ(least.experts(), 65537);
  EXPECT_EQ(total_rows(least), 0);
}

TEST(Shrink, EmptiesTheExpertsThatDoNotMatter) {
  const CaseSpec start = parse_case("pass=fwd k=8 n=8 rows=3*1025").value();
  const CaseSpec least = shrunk(start, [](const CaseSpec& spec) {
    return spec.experts() > 1000 && spec.rows[700] > 0 && spec.rows[701] > 0;
  });
  EXPECT_EQ(least.experts(), 1001);
  EXPECT_EQ(total_rows(least), 2);
}

TEST(Shrink, TheSimplestCaseHasNoCandidates) {
  EXPECT_TRUE(shrink_candidates(parse_case("pass=fwd k=1 n=1 rows=0").value()).empty());
}

TEST(Shrink, BigStepsComeFirst) {
  const auto candidates = shrink_candidates(parse_case("pass=fwd k=64 n=64 rows=9*16").value());
  EXPECT_EQ(candidates.front().experts(), 1);
}

TEST(Shrink, AllEmptyExpertsGoAtOnce) {
  std::vector<std::vector<Index>> rows;
  for (const CaseSpec& candidate :
       shrink_candidates(parse_case("pass=fwd k=1 n=1 rows=0,7,0,0,9,8,0").value())) {
    rows.push_back(candidate.rows);
  }
  EXPECT_THAT(rows, testing::Contains(testing::ElementsAre(7, 9, 8)));
}

// One expert has not the values of the fourth: another seed may have them.
TEST(Shrink, SeedsAreTriedWhereEmptyExpertsGo) {
  const CaseSpec simplest =
      shrunk(parse_case("pass=fwd k=1 n=1 rows=0*3,1 fill=normal seed=0").value(),
             [](const CaseSpec& spec) {
               return spec.rows.back() == 1 && (spec.experts() == 4 || spec.seed == 7);
             });
  EXPECT_EQ(simplest.experts(), 1);
  EXPECT_EQ(simplest.seed, 7);
}

// The one with a row is the last but one.
TEST(Shrink, OfManyExpertsThoseAtEitherEndGo) {
  const auto candidates = shrink_candidates(parse_case("pass=fwd k=1 n=1 rows=0*126,1,0").value());
  EXPECT_TRUE(std::ranges::any_of(candidates, [](const CaseSpec& candidate) {
    return candidate.experts() == 64 && candidate.rows[62] == 1;
  }));
}

}  // namespace
}  // namespace assay
