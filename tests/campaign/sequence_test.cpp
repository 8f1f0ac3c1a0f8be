// Failures that need earlier calls, and ones that do not.
#include "src/campaign/sequence.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/support/case_run.h"
#include "src/problem/case_text.h"
#include "tests/campaign/fake_kernel.h"

namespace assay {
namespace {

using testing::FakeSession;
using ::testing::HasSubstr;
using testing::open_fake;

const Check kWhole = testing::fake_check("whole", judge_case_whole);

CaseSpec spec_of(const char* line) { return parse_case(line).value(); }

void spoil_first(Outcome& outcome) {
  if (!outcome.output.empty()) { outcome.output[0] ^= std::byte{0x40}; }
}

Failure failure_of(const char* line) {
  return {.check = &kWhole,
          .job = 0,
          .spec = spec_of(line),
          .verdict = {.kind = VerdictKind::kFailed, .reason = "wrong"}};
}

std::optional<Sequence> find(const Failure& failure, const FakeSession::Mistake& mistake) {
  return bring_back(failure, open_fake(mistake), 5, {.max_tries = 60, .max_seconds = 5}).sequence;
}

TEST(Sequence, CountsTheCallsThatAFailureNeeds) {
  const auto sequence = find(failure_of("pass=fwd k=9 n=5 rows=7,3 seed=5"),
                             [](const Problem&, const RunOptions&, Index run, Outcome& outcome) {
                               if (run >= 50) { spoil_first(outcome); }
                             });
  ASSERT_TRUE(sequence.has_value());
  ASSERT_EQ(sequence->before.size(), 1U);
  // Each whole judgement makes two calls.
  EXPECT_EQ(sequence->before[0].times, 25);
  EXPECT_EQ(short_text(sequence->spec), "pass=fwd k=1 n=1 rows=1");
  EXPECT_EQ(sequence->verdict.kind, VerdictKind::kFailed);
}

TEST(Sequence, IsShrunkWhicheverAspectComesFirst) {
  Failure failure = failure_of("pass=fwd k=9 n=5 rows=7,3 seed=5");
  failure.verdict.failed = {{.aspect = Aspect::kUnwritten, .reason = "wrong"}};
  const auto sequence =
      find(failure, [](const Problem&, const RunOptions&, Index run, Outcome& outcome) {
        if (run >= 50) { spoil_first(outcome); }
      });
  ASSERT_TRUE(sequence.has_value());
  EXPECT_EQ(short_text(sequence->spec), "pass=fwd k=1 n=1 rows=1");
}

TEST(Sequence, KeepsTheOneEarlierCaseThatMatters) {
  Failure failure = failure_of("pass=fwd k=9 n=5 rows=7,3");
  for (const char* const line : {"pass=fwd k=2 n=2 rows=1", "pass=fwd k=3 n=3 rows=64",
                                 "pass=fwd k=4 n=4 rows=2", "pass=fwd k=5 n=5 rows=3"}) {
    failure.before.push_back({&kWhole, spec_of(line)});
  }
  const OpenSession open = [](double) -> Result<std::unique_ptr<Session>> {
    const auto large = std::make_shared<bool>(false);
    return std::make_unique<FakeSession>(
        [large](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
          if (problem.spec.rows[0] >= 64) { *large = true; }
          if (*large && problem.spec.k == 9) { spoil_first(outcome); }
        });
  };
  const auto sequence = bring_back(failure, open, 5, {}).sequence;
  ASSERT_TRUE(sequence.has_value());
  ASSERT_EQ(sequence->before.size(), 1U);
  EXPECT_EQ(short_text(sequence->before[0].spec), "pass=fwd k=3 n=3 rows=64");
}

// A failure that more calls bring about than the case is tried at first: its worker's history is
// long, and no step of it is another's better.
TEST(Sequence, OfManyEarlierCasesIsOneCaseAsOften) {
  Failure failure = failure_of("pass=fwd k=3 n=2 rows=2");
  for (int i = 0; i < 344; ++i) {
    failure.before.push_back(
        {&kWhole, spec_of(("pass=fwd k=2 n=2 rows=1 seed=" + std::to_string(i)).c_str())});
  }
  const auto sequence =
      find(failure, [](const Problem&, const RunOptions&, Index run, Outcome& outcome) {
        if (run >= 2 * 344) { spoil_first(outcome); }
      });
  ASSERT_TRUE(sequence.has_value());
  ASSERT_EQ(sequence->before.size(), 1U);
  EXPECT_EQ(sequence->before[0].times, 344);
  EXPECT_EQ(short_text(sequence->spec), "pass=fwd k=1 n=1 rows=1");
}

TEST(Sequence, EqualStepsAreOne) {
  Failure failure = failure_of("pass=fwd k=9 n=5 rows=7,3");
  for (int i = 0; i < 12; ++i) {
    failure.before.push_back({&kWhole, spec_of("pass=fwd k=2 n=2 rows=1")});
  }
  const OpenSession open = [](double) -> Result<std::unique_ptr<Session>> {
    const auto met = std::make_shared<int>(0);
    return std::make_unique<FakeSession>(
        [met](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
          *met += problem.spec.k == 2;
          if (*met >= 20 && problem.spec.k == 9) { spoil_first(outcome); }
        });
  };
  const auto sequence = bring_back(failure, open, 5, {}).sequence;
  ASSERT_TRUE(sequence.has_value());
  ASSERT_EQ(sequence->before.size(), 1U);
  EXPECT_EQ(sequence->before[0].times, 10);
}

// When the time is over no count was seen of what it was shrunk to.
TEST(Sequence, OfASlowKernelCountsWhatWasSeen) {
  const auto slow = [](const Problem&, const RunOptions&, Index run, Outcome& outcome) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (run >= 50) { spoil_first(outcome); }
  };
  const auto sequence = bring_back(failure_of("pass=fwd k=9 n=5 rows=7,3 seed=5"), open_fake(slow),
                                   5, {.max_tries = 60, .max_seconds = 0.25})
                            .sequence;
  EXPECT_TRUE(!sequence || sequence->before.at(0).times == 25);
}

TEST(Sequence, NeedsNoneWhereAFreshProcessFails) {
  EXPECT_FALSE(find(failure_of("pass=fwd k=9 n=5 rows=7,3"), [](const Problem&, const RunOptions&,
                                                                Index, Outcome& outcome) {
                 spoil_first(outcome);
               }).has_value());
}

TEST(Sequence, OfARaceIsNone) {
  // Fails in the first run of some processes and in later ones of others.
  int processes = 0;
  const auto races = [&](const Problem&, const RunOptions&, Index run, Outcome& outcome) {
    processes += run == 0;
    if (run == 2 * (processes % 4)) { spoil_first(outcome); }
  };
  const BroughtBack back = bring_back(failure_of("pass=fwd k=9 n=5 rows=7,3"), open_fake(races), 5,
                                      {.max_tries = 60, .max_seconds = 5});
  EXPECT_FALSE(back.sequence.has_value());
  EXPECT_FALSE(back.at_once);
  EXPECT_TRUE(back.sporadic);
  EXPECT_GT(back.failed, 0);
  EXPECT_LT(back.failed, back.runs);
}

TEST(Sequence, IsNotMadeOfCasesWithoutWhichItFailsAsOften) {
  Failure failure = failure_of("pass=fwd k=9 n=5 rows=7,3");
  failure.before.push_back({&kWhole, spec_of("pass=fwd k=2 n=2 rows=1")});
  // Right where it is tried again and again, wrong once later, whatever was before.
  int processes = 0;
  const auto races = [&](const Problem& problem, const RunOptions&, Index run, Outcome& outcome) {
    processes += run == 0;
    if (processes == 2 && problem.spec.k == 9) { spoil_first(outcome); }
  };
  const BroughtBack back =
      bring_back(failure, open_fake(races), 5, {.max_tries = 60, .max_seconds = 5});
  EXPECT_FALSE(back.sequence.has_value());
  EXPECT_TRUE(back.sporadic);
}

TEST(Sequence, IsNotMadeOfWhatDoesNotComeBack) {
  const BroughtBack back = bring_back(failure_of("pass=fwd k=9 n=5 rows=7,3"), open_fake(), 5,
                                      {.max_tries = 60, .max_seconds = 5});
  EXPECT_FALSE(back.sequence.has_value());
  EXPECT_TRUE(back.sporadic);
  EXPECT_EQ(back.failed, 0);
}

TEST(SequenceStep, IsReadBackAsItIsPrinted) {
  const Registry names = every_name();
  const std::string text = "50 * exact_integers_match_bitwise: pass=fwd k=1 n=1 rows=1";
  const auto step = parse_step(text, names);
  ASSERT_TRUE(step.has_value()) << step.error().message;
  EXPECT_EQ(step->times, 50);
  EXPECT_EQ(step_text(*step), text);
}

std::vector<std::string> many_steps() {
  std::vector<std::string> steps;
  for (int k = 1; k <= 344; ++k) {
    steps.push_back(fmt::format("one_expert: pass=fwd k={} n=1 rows=1", k));
  }
  return steps;
}

TEST(SequenceStep, ManyAreKeptInAFile) {
  const std::string options = before_options(many_steps(), ::testing::TempDir());
  ASSERT_THAT(options, ::testing::StartsWith(" --before @"));
  const std::string file = options.substr(std::string(" --before ").size());
  const auto steps = parse_steps(file, every_name());
  ASSERT_TRUE(steps.has_value()) << steps.error().message;
  ASSERT_EQ(steps->size(), 344U);
  EXPECT_EQ(step_text(steps->back()), many_steps().back());
  std::ofstream(file.substr(1), std::ios::app) << "no_check: pass=fwd k=1 n=1 rows=1\n";
  EXPECT_THAT(parse_steps(file, every_name()).error().message,
              AllOf(HasSubstr(file.substr(1) + ":345: "), HasSubstr("no_check")));
  std::filesystem::remove(file.substr(1));
  EXPECT_THAT(parse_steps(file, every_name()).error().message, HasSubstr("cannot read"));
}

TEST(SequenceStep, FewOrWithoutAFolderStandInTheCommand) {
  EXPECT_EQ(before_options({"one_expert: pass=fwd k=1 n=1 rows=1"}, "/no/folder"),
            " --before 'one_expert: pass=fwd k=1 n=1 rows=1'");
  for (const char* folder : {"/no/folder", ""}) {
    EXPECT_THAT(before_options(many_steps(), folder), HasSubstr("k=344 n=1 rows=1'"));
  }
}

TEST(SequenceStep, SaysWhatIsWrongWithIt) {
  const auto message = [](const char* text) {
    const auto step = parse_step(text, every_name());
    return step ? std::string("read") : step.error().message;
  };
  EXPECT_THAT(message("x * one_expert: pass=fwd k=1 n=1 rows=1"), HasSubstr("'x'"));
  EXPECT_THAT(message("pass=fwd k=1 n=1 rows=1"), HasSubstr("does not begin with a check"));
  EXPECT_THAT(message("no_check: pass=fwd k=1 n=1 rows=1"), HasSubstr("assay list checks"));
  EXPECT_THAT(message("one_expert: pass=fwd k=1"), HasSubstr("n"));
}

}  // namespace
}  // namespace assay
