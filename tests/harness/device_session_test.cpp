// What a session does with a kernel on a device: operands over and back, guards, streams, graphs.
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/harness/judge/judge_case.h"
#include "tests/harness/fake_device.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

using testing::fake_session;
using ::testing::HasSubstr;
using Where = MemoryFault::Where;

constexpr RunOptions kLow{.placement = Placement::kLow, .poison = 0};
constexpr RunOptions kHigh{.placement = Placement::kHigh, .poison = 1};
constexpr const char* kFwd = "pass=fwd k=24 n=40 rows=3,0,17,5 tail=2 seed=4";

Index wrong_elements(Session& session, const Problem& problem, const Outcome& outcome) {
  EXPECT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
  for (const MemoryFault& fault : outcome.faults) { ADD_FAILURE() << describe(fault); }
  if (outcome.status != RunStatus::kOk) { return -1; }
  return judge_output(problem, outcome.output, session.manifest()).wrong;
}

void expect_right(Session& session, std::string_view line, const RunOptions& options) {
  const Problem problem = problem_of(line);
  EXPECT_EQ(wrong_elements(session, problem, session.run(problem, options)), 0) << line;
}

TEST(DeviceSession, GivesWhatTheKernelComputed) {
  const auto session = fake_session(testing::fake_run);
  for (const std::string_view line :
       {kFwd, "pass=dgrad k=24 n=40 rows=3,0,17,5 weights=ekn base=y:8 ld=4 seed=5",
        "pass=wgrad out=fp32 k=24 n=40 rows=3,0,17,5 seed=6",
        "pass=wgrad out=fp32 acc=2 k=24 n=40 rows=3,0,17,5 fill=anchored seed=7",
        "pass=fwd k=8 n=8 rows=0,0 seed=8", "pass=fwd k=8 n=16 rows=3,4 offsets=starts seed=9"}) {
    expect_right(*session, line, kLow);
    expect_right(*session, line, kHigh);
  }
}

TEST(DeviceSession, MovesPointerArraysToTheDeviceAndBack) {
  const auto session = fake_session(testing::fake_run);
  expect_right(*session, "pass=fwd k=24 n=40 rows=3,0,17,5 offsets=problems seed=4", kLow);
  expect_right(*session, "pass=wgrad k=24 n=40 rows=3,0,17,5 offsets=problems seed=4", kHigh);
}

TEST(DeviceSession, LeavesHostOffsetsOnTheHost) {
  const auto session = fake_session([](const assay_call* call) {
    const bool right = testing::is_on_device(*call) && call->offsets->device.device_type == 1 &&
                       static_cast<const std::int64_t*>(call->offsets->data)[2] == 17;
    return naive_answer(call, right ? ASSAY_UNSUPPORTED : ASSAY_ERROR, "counts are not its thing");
  });
  const Problem problem = problem_of("pass=fwd k=8 n=8 rows=3,0,17 offsets=counts:i64:host");
  EXPECT_EQ(session->run(problem, kLow).status, RunStatus::kUnsupported);
}

TEST(DeviceSession, PlacesOperandsFlushWithUnmappedMemory) {
  // Whether the page of a byte is mapped.
  static const auto mapped = [](const char* at) {
    const auto page = reinterpret_cast<std::uintptr_t>(at) & ~std::uintptr_t{4095};
    unsigned char resident = 0;
    return mincore(reinterpret_cast<void*>(page), 4096, &resident) == 0 && resident != 0;
  };
  static bool below = false, above = false;
  const auto session = fake_session([](const assay_call* call) {
    below = mapped(naive_data(call->y) - 1);
    above = mapped(naive_data(call->y) + naive_extent(call->y) + 15);
    return testing::fake_run(call);
  });
  const Problem problem = problem_of("pass=fwd k=8 n=24 rows=3 seed=4");
  session->run(problem, kLow);
  EXPECT_FALSE(below);
  EXPECT_TRUE(above);
  session->run(problem, kHigh);
  EXPECT_TRUE(below);
  EXPECT_FALSE(above);
}

TEST(DeviceSession, SeesWhatWasWrittenPastAnOperand) {
  const Problem problem = problem_of(kFwd);
  const Index extent = (3 + 17 + 5 + 2) * 40 * 2;
  {
    const auto session = fake_session(testing::fake_writes_at<(3 + 17 + 5 + 2) * 40 * 2>);
    const Outcome outcome = session->run(problem, kLow);
    ASSERT_EQ(outcome.faults.size(), 1U);
    EXPECT_EQ(outcome.faults[0].where, Where::kGuard);
    EXPECT_EQ(outcome.faults[0].operand, "y");
    EXPECT_EQ(outcome.faults[0].byte, extent);
  }
  // Beyond what comes back to the host.
  const auto session = fake_session(testing::fake_writes_at<20000>);
  const Outcome outcome = session->run(problem, kLow);
  ASSERT_EQ(outcome.faults.size(), 1U);
  EXPECT_EQ(outcome.faults[0].where, Where::kGuard);
  EXPECT_EQ(outcome.faults[0].operand, "y");
  EXPECT_EQ(outcome.faults[0].byte / 8, 20000 / 8);
  // Seen once, where it was written, and below an operand that lies high.
  EXPECT_EQ(fake_session(testing::fake_writes_at<-20000>)->run(problem, kHigh).faults.size(), 1U);
}

TEST(DeviceSession, SeesTailRowsAndInputs) {
  const Problem problem = problem_of(kFwd);
  const auto tail = fake_session(testing::fake_writes_at<(3 + 17 + 5) * 40 * 2>);
  const Outcome outcome = tail->run(problem, kHigh);
  ASSERT_EQ(outcome.faults.size(), 1U);
  EXPECT_EQ(outcome.faults[0].where, Where::kTailRow);
  const auto input = fake_session([](const assay_call* call) {
    char* const at = naive_data(call->x) + 9;
    const int status = testing::fake_run(call);
    testing::stream_of(*call).put([at] { *at = static_cast<char>(*at ^ 1); });
    return status;
  });
  const Outcome changed = input->run(problem, kLow);
  ASSERT_EQ(changed.faults.size(), 1U);
  EXPECT_EQ(changed.faults[0].where, Where::kInput);
}

TEST(DeviceSession, FindsAStrayWriteInAGapWithoutMemory) {
  constexpr const char* kSparse = "pass=fwd k=8 n=8 rows=1,1 ld=x:0,w:0,y:67108864 seed=3";
  const auto right = fake_session(testing::fake_run);
  expect_right(*right, kSparse, kLow);
  expect_right(*right, kSparse, kHigh);
  const auto wrong = fake_session(testing::fake_writes_at<1000000>);
  const Outcome outcome = wrong->run(problem_of(kSparse), kLow);
  ASSERT_EQ(outcome.faults.size(), 1U);
  EXPECT_EQ(outcome.faults[0].where, Where::kGap);
  EXPECT_EQ(outcome.faults[0].byte, 1000000);
}

TEST(DeviceSession, ReplaysAGraphWithOtherOffsets) {
  const Problem first = problem_of("pass=fwd k=8 n=16 rows=3,0,9,4 seed=1");
  const Problem second = problem_of("pass=fwd k=8 n=16 rows=0,10,1,5 seed=2");
  RunOptions capture = kLow, replay = kLow;
  capture.launch = Launch::kGraph;
  replay.launch = Launch::kReplay;
  const auto session = fake_session(testing::fake_run);
  EXPECT_EQ(wrong_elements(*session, first, session->run(first, capture)), 0);
  EXPECT_EQ(wrong_elements(*session, second, session->run(second, replay)), 0);
  EXPECT_EQ(wrong_elements(*session, first, session->run(first, replay)), 0);

  const auto early = fake_session(testing::fake_reads_offsets_early);
  EXPECT_EQ(wrong_elements(*early, first, early->run(first, capture)), 0);
  EXPECT_GT(wrong_elements(*early, second, early->run(second, replay)), 0);
}

TEST(DeviceSession, DoesNotReplayWhatWasNotCaptured) {
  RunOptions replay = kLow;
  replay.launch = Launch::kReplay;
  const auto session = fake_session(testing::fake_run);
  const Outcome outcome = session->run(problem_of(kFwd), replay);
  EXPECT_EQ(outcome.status, RunStatus::kNotRun);
  EXPECT_THAT(outcome.message, HasSubstr("no graph was captured"));
}

TEST(DeviceSession, SaysThatACallCannotBeCaptured) {
  const auto session = fake_session(testing::fake_waits);
  expect_right(*session, kFwd, kLow);
  const Outcome outcome =
      session->run(problem_of("pass=fwd k=24 n=40 rows=3,0,17,5 exec=graph"), kLow);
  EXPECT_EQ(outcome.status, RunStatus::kError);
  EXPECT_THAT(outcome.message, HasSubstr("cannot be captured"));
}

TEST(DeviceSession, LateOperandsShowACallThatDoesNotWaitForThem) {
  RunOptions late = kLow;
  late.launch = Launch::kLateOperands;
  const Problem problem = problem_of(kFwd);
  const auto right = fake_session(testing::fake_run);
  EXPECT_EQ(wrong_elements(*right, problem, right->run(problem, late)), 0);
  const auto early = fake_session(testing::fake_runs_early);
  expect_right(*early, kFwd, kLow);
  const Outcome outcome = early->run(problem, late);
  EXPECT_GT(judge_output(problem, outcome.output, early->manifest()).wrong, 0);
}

TEST(DeviceSession, AHostThatIsLateItselfMakesTheCallOnceMore) {
  RunOptions late = kLow;
  late.launch = Launch::kLateOperands;
  static int calls = 0;
  const auto session = fake_session([](const assay_call* call) {
    if (calls++ == 0) { std::this_thread::sleep_for(std::chrono::milliseconds(6)); }
    testing::FakeStream& stream = testing::stream_of(*call);
    if (!(testing::FakeStream::Clock::now() < stream.held_until)) { stream.run(); }
    return testing::fake_runs_early(call);
  });
  const Problem problem = problem_of(kFwd);
  const Outcome outcome = session->run(problem, late);
  EXPECT_EQ(calls, 2);
  EXPECT_GT(judge_output(problem, outcome.output, session->manifest()).wrong, 0);
}

TEST(DeviceSession, MakesConcurrentCallsFromOneThreadOrSeveral) {
  const auto session = fake_session(testing::fake_run);
  const Problem problem = problem_of(kFwd);
  RunOptions together = kLow;
  together.concurrent = 3;
  const Outcome threads = session->run(problem, together);
  EXPECT_EQ(wrong_elements(*session, problem, threads), 0);
  ASSERT_EQ(threads.concurrent_outputs.size(), 2U);
  EXPECT_EQ(threads.concurrent_outputs[1], threads.output);
  together.one_caller = true;
  const Outcome streams = session->run(problem, together);
  EXPECT_EQ(streams.concurrent_outputs[1], threads.output);
  const Outcome by_case =
      session->run(problem_of("pass=fwd k=24 n=40 rows=3,0,17,5 exec=streams:2"), kLow);
  EXPECT_EQ(by_case.concurrent_outputs.size(), 1U);
}

TEST(DeviceSession, CallsALostDeviceACrash) {
  const auto session =
      fake_session(testing::fake_run, {.after_call = "fakeErrorIllegalAddress (an access)"});
  const Outcome outcome = session->run(problem_of(kFwd), kLow);
  EXPECT_EQ(outcome.status, RunStatus::kCrashed);
  EXPECT_THAT(outcome.message, HasSubstr("fakeErrorIllegalAddress"));
}

// Whatever of a case's memory it is that finds none: operands, late ones, C that is kept.
TEST(DeviceSession, ACaseThatDoesNotFitIsNotRun) {
  constexpr Index kBlock = 65536;
  RunOptions late = kLow, stay = kLow;
  late.launch = Launch::kLateOperands;
  stay.operands_stay = true;
  const auto blocks_needed = [](const char* line, const RunOptions& options) {
    Index blocks = 1;
    for (;; ++blocks) {
      const auto session = fake_session(testing::fake_run, {.memory_bytes = blocks * kBlock});
      const Outcome outcome = session->run(problem_of(line), options);
      if (outcome.status == RunStatus::kOk || blocks > 20) { return blocks; }
      EXPECT_EQ(outcome.status, RunStatus::kNotRun) << blocks << ": " << outcome.message;
      EXPECT_EQ(outcome.message,
                "the case does not fit the device: 65536 bytes more were asked for, 0 are free");
    }
  };
  constexpr const char* kAdds = "pass=wgrad out=fp32 acc=2 k=8 n=8 rows=3,0,17 seed=7";
  EXPECT_EQ(blocks_needed(kFwd, late), blocks_needed(kFwd, kLow) + 1);
  EXPECT_EQ(blocks_needed(kAdds, stay), blocks_needed(kAdds, kLow) + 1);
}

TEST(DeviceSession, AnotherCurrentDeviceNeedsTwo) {
  RunOptions other = kLow;
  other.other_device_current = true;
  const Outcome outcome = fake_session(testing::fake_run)->run(problem_of(kFwd), other);
  EXPECT_EQ(outcome.status, RunStatus::kNotRun);
}

TEST(AcceptDevice, NamesWhatIsNeededAndWhatIsThere) {
  Manifest manifest = testing::fake_kernel(testing::fake_run).manifest;
  manifest.least_capability = manifest.most_capability = 90;
  DeviceFacts facts = testing::FakeDevice().facts();
  EXPECT_TRUE(accept_device(manifest, facts).has_value());
  facts.capability = 80;
  const Status old = accept_device(manifest, facts);
  ASSERT_FALSE(old.has_value());
  EXPECT_THAT(old.error().message, HasSubstr("compute capability 9.0"));
  EXPECT_THAT(old.error().message, HasSubstr("has 8.0"));
  EXPECT_THAT(old.error().message, HasSubstr("driver supports CUDA 13.0"));
  manifest.device = "cpu";
  EXPECT_TRUE(accept_device(manifest, facts).has_value());
}

TEST(AcceptDevice, RefusesAWorkerWithoutADevice) {
  const auto session = open_worker_session(plugin("wants_a_gpu"), worker_options());
  ASSERT_FALSE(session.has_value());
  EXPECT_THAT(session.error().message, HasSubstr("needs a CUDA device"));
  EXPECT_THAT(session.error().message, HasSubstr("driver"));
  EXPECT_THAT(session.error().message, HasSubstr("compute capability"));
}

}  // namespace
}  // namespace assay
