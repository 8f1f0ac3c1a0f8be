#include "src/campaign/case_queue.h"

#include <algorithm>
#include <atomic>
#include <map>

#include <gtest/gtest.h>

namespace assay {
namespace {

JobResult result_of(VerdictKind kind) { return {.ran = true, .kind = kind}; }

TEST(CaseQueue, ALimitThatIsReachedWithTheLastCaseCutsNothingShort) {
  CaseQueue battery(interleave({{"a", "g", 3, 0}}), {0},
                    {.max_findings_per_check = 100, .max_hung = 3});
  while (const auto job = battery.next()) {
    battery.record(*job, result_of(VerdictKind::kHung), {});
  }
  for (Index job = 0; job < 3; ++job) { battery.replace(job, result_of(VerdictKind::kPassed), {}); }
  EXPECT_TRUE(battery.reopened());
  EXPECT_EQ(battery.next(), std::nullopt);
  EXPECT_EQ(battery.cut_short(), "");
  EXPECT_EQ(battery.progress().done, 3);
}

// Resumed, a run does not wait for them again.
TEST(CaseQueue, HangsOfAnEarlierRunCount) {
  CaseQueue battery(interleave({{"a", "g", 5, 0}}), {0},
                    {.max_findings_per_check = 100, .max_hung = 2});
  for (Index job = 0; job < 2; ++job) { battery.know(job, result_of(VerdictKind::kHung), {}); }
  const auto job = battery.next();
  ASSERT_TRUE(job.has_value());
  EXPECT_TRUE(battery.leaves_out(*job, result_of(VerdictKind::kHung).facts.pass));
}

TEST(CaseQueue, AnInterruptDuringTheLastCaseLeavesItOut) {
  std::atomic<bool> stop{false};
  CaseQueue battery(interleave({{"a", "g", 1, 0}}), {0}, {.stop = &stop});
  const auto job = battery.next();
  ASSERT_TRUE(job.has_value());
  stop = true;
  EXPECT_FALSE(battery.record(*job, result_of(VerdictKind::kCrashed), {}));
  EXPECT_EQ(battery.next(), std::nullopt);
  EXPECT_EQ(battery.cut_short(), "interrupted");
}

TEST(CaseQueue, EveryLineAdvancesAtTheSamePace) {
  const std::vector<Job> jobs = interleave({{"a", "g", 100, 0}, {"b", "g", 10, 0}});
  ASSERT_EQ(jobs.size(), 110u);
  for (std::size_t half = 0; half <= 110; half += 11) {
    const auto b = std::count_if(jobs.begin(), jobs.begin() + static_cast<Index>(half),
                                 [](const Job& job) { return job.line == 1; });
    EXPECT_EQ(b, static_cast<Index>(half / 11));
  }
  EXPECT_EQ(jobs[0].line, 0);
  EXPECT_EQ(jobs[1].line, 1);  // before the other's second case
  std::map<int, Index> next;
  for (const Job& job : jobs) { EXPECT_EQ(job.index, next[job.line]++); }
}

}  // namespace
}  // namespace assay
