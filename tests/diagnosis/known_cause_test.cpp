// A mistake that is known is told from others in a case as it was met.
#include "src/diagnosis/known_cause.h"

#include <gtest/gtest.h>

#include "tests/diagnosis/mistakes.h"

namespace assay {
namespace {

constexpr const char* kLine = "pass=fwd k=24 n=9 rows=5,8,3 fill=integers seed=3";
const std::vector<std::string> kKnown = {"sums_not_cleared", "reduction_tail_dropped"};

std::optional<Diagnosis> recognised(FakeSession::Mistake mistake, const char* line = kLine,
                                    const std::vector<std::string>& known = kKnown) {
  FakeSession session(std::move(mistake), testing::every_manifest());
  return recognise(session, parsed(line), known);
}

TEST(KnownCause, IsRecognised) {
  const auto diagnosis = recognised(drops_tail_of_k(16));
  ASSERT_TRUE(diagnosis);
  EXPECT_EQ(diagnosis->hypothesis, "reduction_tail_dropped");
  EXPECT_EQ(diagnosis->share, 1);
  EXPECT_FALSE(diagnosis->sentence.empty());
  EXPECT_FALSE(diagnosis->where.empty());
}

TEST(KnownCause, HasToForetellEachElement) {
  EXPECT_FALSE(recognised({}));  // nothing is wrong
  const auto spoils_one_more = [](const Problem& problem, const RunOptions& options, Index run,
                                  Outcome& outcome) {
    drops_tail_of_k(16)(problem, options, run, outcome);
    outcome.output.front() ^= std::byte{1};
  };
  EXPECT_FALSE(recognised(spoils_one_more));
}

TEST(KnownCause, IsOneOfThoseThatAreKnown) {
  EXPECT_FALSE(recognised(drops_tail_of_k(16), kLine, {"sums_not_cleared"}));
  EXPECT_FALSE(recognised(drops_tail_of_k(16), kLine, {}));
}

TEST(KnownCause, IsNotGuessedFromFewElements) {
  EXPECT_FALSE(recognised(drops_tail_of_k(16), "pass=fwd k=24 n=2 rows=1,2 fill=integers seed=3"));
}

}  // namespace
}  // namespace assay
