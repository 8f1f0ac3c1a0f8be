#include "src/harness/memory/case_memory.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/core/require.h"
#include "src/harness/memory/arena.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

const std::string kLine = "pass=fwd in=fp32 k=8 n=8 rows=4";

// Bytes of the prepared call's regions that have memory.
Index resident_bytes_of(const Problem& problem, const Manifest& manifest) {
  auto memory = SharedMemory::create();
  ASSAY_REQUIRE(memory.has_value());
  Arena arena(**memory);
  ASSAY_REQUIRE(arena.prepare(problem, manifest, {}).has_value());
  Index bytes = 0;
  for (int i = 0; i < kAreas; ++i) {
    const Region* const region = arena.region(static_cast<Area>(i));
    if (region == nullptr) { continue; }
    const RegionFile file = region->file();
    for (Index at = file.next_data(0); at < file.bytes;) {
      const Index end = file.next_hole(at);
      bytes += end - at;
      at = file.next_data(end);
    }
  }
  return bytes;
}

Index dense_bytes_of(const Problem& problem) {
  Index bytes = 0;
  for (const Role role : {Role::kX, Role::kW, Role::kY}) {
    bytes += static_cast<Index>(problem.operands[role].bits.size());
  }
  return bytes;
}

// Of few bytes the pages of offsets, status and the like are the larger part.
constexpr Index kSmallAreas = Index{1} << 16;

TEST(CaseMemory, CoversWhatTheArenaTakesAndNotMuchMore) {
  Manifest manifest;
  manifest.workspace_bytes = 3'000'000;
  for (const char* const line :
       {"pass=fwd in=fp32 k=700 n=900 rows=300,0,800",
        "pass=dgrad k=300 n=500 rows=600,70 pad=64 offsets=starts tail=300 weights=ekn",
        "pass=wgrad out=fp32 acc=1 k=500 n=400 rows=64*9 ld=x:30,w:7,y:0 wpitch=90",
        "pass=fwd k=64 n=64 rows=100000,3 offsets=row_ids",
        "pass=fwd k=400 n=500 rows=900,0,4 offsets=masked"}) {
    const Problem problem = problem_of(line);
    const CaseMemory memory = memory_of_case(problem.spec, manifest, {.problems = 1});
    const Index resident = resident_bytes_of(problem, manifest);
    EXPECT_GE(memory.calls + memory.workspaces + kSmallAreas, resident) << line;
    EXPECT_LE(memory.calls + memory.workspaces, resident + resident / 4) << line;
    EXPECT_GE(memory.problems, dense_bytes_of(problem)) << line;
    EXPECT_LE(memory.problems, dense_bytes_of(problem) * 5 / 4) << line;
  }
}

// Gaps of gigabytes have no memory.
TEST(CaseMemory, CountsASparseOperandByItsPages) {
  for (const char* const line :
       {"pass=fwd k=8 n=8 rows=4,1,0,5 ld=x:268435456,w:0,y:0",
        "pass=fwd k=8 n=8 rows=1,0,2,0,0,1 wpitch=268435456",
        "pass=dgrad k=8 n=5 rows=3,0,2 tail=1 ld=x:268435456,w:3,y:3 wpitch=536870912"}) {
    const Problem problem = problem_of(line);
    const CaseMemory memory = memory_of_case(problem.spec, {});
    EXPECT_LT(memory.total(), MemoryBudget::kCountedFrom) << line;
    EXPECT_GE(memory.calls + kSmallAreas, resident_bytes_of(problem, {})) << line;
  }
}

TEST(CaseMemory, CountsEachCallThatRunsAtOnce) {
  Manifest manifest;
  manifest.workspace_bytes = 1 << 20;
  const CaseSpec spec = problem_of("pass=fwd k=300 n=300 rows=300").spec;
  const CaseMemory one = memory_of_case(spec, manifest);
  CaseSpec threads = spec;
  threads.exec = {.kind = ExecKind::kThreads, .count = 5};
  for (const CaseMemory& five :
       {memory_of_case(spec, manifest, {.calls = 5}), memory_of_case(threads, manifest)}) {
    EXPECT_EQ(five.calls, 5 * one.calls);
    EXPECT_EQ(five.workspaces, 5 * one.workspaces);
    EXPECT_EQ(five.problems, one.problems);
    EXPECT_GT(five.outputs, one.outputs);
  }
}

TEST(CaseMemory, DoesNotOverflow) {
  Manifest manifest;
  manifest.workspace_bytes = std::numeric_limits<std::uint64_t>::max();
  CaseSpec spec = problem_of(kLine).spec;
  spec.exec = {.kind = ExecKind::kThreads, .count = 64};
  EXPECT_EQ(memory_of_case(spec, manifest).total(), std::numeric_limits<Index>::max());
  EXPECT_FALSE(take_memory(spec, manifest));
}

TEST(CaseMemory, AShortageSaysWhatIsNeededAndWhatForAndWhatThereIs) {
  CaseSpec spec = problem_of(kLine).spec;
  Manifest manifest;
  EXPECT_TRUE(take_memory(spec, manifest));
  manifest.workspace_bytes = 40'000'000'000'000;
  const auto workspace = take_memory(spec, manifest);
  ASSERT_FALSE(workspace);
  EXPECT_TRUE(workspace.error().shortage);
  EXPECT_THAT(workspace.error().message, HasSubstr("the case needs 4"));
  EXPECT_THAT(workspace.error().message, HasSubstr(" are available ("));
  EXPECT_THAT(workspace.error().message, HasSubstr("of it for the manifest's workspace_bytes)"));
  spec.k = spec.n = spec.rows[0] = 250'000;
  const auto operands = take_memory(spec, {}, {.problems = 4000});
  ASSERT_FALSE(operands);
  EXPECT_THAT(operands.error().message, HasSubstr(" are available"));
  EXPECT_EQ(operands.error().message.find("workspace"), std::string::npos);
}

TEST(CaseMemory, ARunWithoutMemoryForItsWorkspaceIsNotMadeAndTheSessionServesOn) {
  const auto session = worker_of("naive");
  const Problem problem = problem_of("pass=fwd k=8 n=4 rows=3,2");
  Manifest manifest = session->manifest();
  manifest.workspace_bytes = 40'000'000'000'000;
  session->assume(manifest);
  const Outcome outcome = session->run(problem, {});
  EXPECT_EQ(outcome.status, RunStatus::kNotRun);
  EXPECT_THAT(outcome.message, HasSubstr("workspace needs 4"));
  manifest.workspace_bytes = 0;
  session->assume(manifest);
  EXPECT_EQ(session->run(problem, {}).status, RunStatus::kOk);
}

}  // namespace
}  // namespace assay
