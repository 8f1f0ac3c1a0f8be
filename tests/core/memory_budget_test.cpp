#include "src/core/memory_budget.h"

#include <atomic>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr Index kUnit = MemoryBudget::kCountedFrom;

MemoryBudget budget_of(Index bytes) {
  return MemoryBudget([bytes] { return bytes; });
}

TEST(MemoryBudget, AsksNobodyForWhatIsSmall) {
  int asked = 0;
  MemoryBudget budget([&] { return ++asked, Index{0}; });
  EXPECT_TRUE(budget.take(kUnit - 1));
  EXPECT_EQ(asked, 0);
  EXPECT_FALSE(budget.take(kUnit));
  EXPECT_EQ(asked, 1);
}

TEST(MemoryBudget, RefusesWhatThereIsNotEvenAlone) {
  auto budget = budget_of(2'000'000'000);
  const auto share = budget.take(40'000'000'000);
  ASSERT_FALSE(share);
  EXPECT_TRUE(share.error().shortage);
  EXPECT_EQ(share.error().message, "needs 40.0 GB of memory, 2.0 GB are available");
  // Also beside a share of another's, which could be waited for.
  const auto other = budget.take(kUnit);
  ASSERT_TRUE(other);
  EXPECT_FALSE(budget.take(40'000'000'000));
}

// The system still says that all is available: what was taken is not written yet.
TEST(MemoryBudget, LetsNoTwoHaveTheSameGigabyte) {
  auto budget = budget_of(3 * kUnit);
  std::optional<MemoryShare> first = std::move(*budget.take(2 * kUnit));
  std::atomic<bool> given_back{false}, early{false};
  std::jthread other([&] {
    const auto share = budget.take(2 * kUnit);
    early = !given_back;
    EXPECT_TRUE(share);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the other should be waiting
  given_back = true;
  first.reset();
  other.join();
  EXPECT_FALSE(early);
}

TEST(MemoryBudget, GivesTwoWhatIsEnoughForBoth) {
  auto budget = budget_of(4 * kUnit);
  const auto first = budget.take(2 * kUnit);
  const auto second = budget.take(2 * kUnit);
  EXPECT_TRUE(first && second);
}

TEST(MemoryBudget, TellsWhatMustNotLieIdle) {
  auto budget = budget_of(Index{1} << 50);
  EXPECT_FALSE(budget.take(kUnit)->large());
  EXPECT_TRUE(budget.take(Index{1} << 49)->large());
  EXPECT_FALSE(MemoryShare().large());
}

}  // namespace
}  // namespace assay
