#include "src/campaign/shrink.h"

#include <gtest/gtest.h>

#include "tests/problem/parsed.h"

namespace assay {
namespace {

bool has_empty_expert_and_wide_k(const CaseSpec& spec) {
  return spec.k >= 17 && std::count(spec.rows.begin(), spec.rows.end(), 0) > 0;
}

TEST(Shrink, EndsAtACaseFromWhichNoMoveFails) {
  const CaseSpec spec =
      parsed("pass=wgrad in=bf16 out=fp32 k=96 n=64 rows=5,0,7,128,1 tail=3 weights=ekn seed=17");
  const Shrunk shrunk = shrink_case(spec, has_empty_expert_and_wide_k, {});
  EXPECT_TRUE(shrunk.finished);
  EXPECT_TRUE(has_empty_expert_and_wide_k(shrunk.spec));
  EXPECT_EQ(shrunk.spec.k, 17);
  EXPECT_EQ(shrunk.spec.n, 1);
  EXPECT_EQ(shrunk.spec.rows, std::vector<Index>{0});
  EXPECT_EQ(shrunk.spec.tail, 0);
}

TEST(Shrink, StopsAtItsLimitWithWhatItHas) {
  const CaseSpec spec = parsed("pass=fwd k=96 n=64 rows=5,0,7,128,1");
  Index tried = 0;
  const Shrunk shrunk = shrink_case(spec,
                                    [&](const CaseSpec& candidate) {
                                      ++tried;
                                      return has_empty_expert_and_wide_k(candidate);
                                    },
                                    {.max_tries = 3, .max_seconds = 100});
  EXPECT_FALSE(shrunk.finished);
  EXPECT_EQ(shrunk.tries, 3);
  EXPECT_EQ(tried, 3);
  EXPECT_TRUE(has_empty_expert_and_wide_k(shrunk.spec));
}

TEST(Shrink, TriesNoCaseTwice) {
  const CaseSpec spec = parsed("pass=fwd k=40 n=24 rows=5,0,7");
  std::vector<std::string> lines;
  shrink_case(spec,
              [&](const CaseSpec& candidate) {
                lines.push_back(canonical_text(candidate));
                return has_empty_expert_and_wide_k(candidate);
              },
              {});
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(std::adjacent_find(lines.begin(), lines.end()), lines.end());
  EXPECT_EQ(std::count(lines.begin(), lines.end(), canonical_text(spec)), 0);
}

TEST(Shrink, LeavesACaseThatNothingSmallerFails) {
  const CaseSpec spec = parsed("pass=fwd k=40 n=24 rows=5,0,7");
  const Shrunk shrunk = shrink_case(spec, [](const CaseSpec&) { return false; }, {});
  EXPECT_TRUE(shrunk.finished);
  EXPECT_EQ(shrunk.moves, 0);
  EXPECT_EQ(shrunk.spec, spec);
}

}  // namespace
}  // namespace assay
