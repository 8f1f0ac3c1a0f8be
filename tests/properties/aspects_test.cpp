// A failure is filed under what is wrong, whichever case shows it.
#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/check.h"
#include "properties/support/case_run.h"
#include "src/harness/memory/poison.h"
#include "tests/campaign/fake_kernel.h"
#include "tests/problem/parsed.h"

namespace assay {
namespace {

using testing::FakeSession;
using Mistake = FakeSession::Mistake;
using ::testing::HasSubstr;

constexpr std::string_view kIntegers = "pass=fwd in=bf16 out=fp32 k=8 n=4 rows=2,0,3 seed=3";
constexpr std::string_view kReals =
    "pass=fwd in=bf16 out=fp32 k=8 n=4 rows=2,0,3 fill=normal seed=3";
constexpr std::string_view kGradientLine = "pass=wgrad in=bf16 out=fp32 k=8 n=4 rows=2,0,3 seed=3";

Mistake faulty(MemoryFault fault) {
  return [fault](const Problem&, const RunOptions&, Index, Outcome& outcome) {
    outcome.faults.push_back(fault);
  };
}

Mistake ends_with(RunStatus status, CrashKind crash = CrashKind::kOther) {
  return [=](const Problem&, const RunOptions&, Index, Outcome& outcome) {
    outcome.status = status;
    outcome.crash = crash;
    outcome.message = "as planted";
  };
}

void flip(const Problem& problem, Index element, std::uint32_t bits, Outcome& outcome) {
  const Format format = problem.output().format;
  std::byte* const at = outcome.output.data() + element * size_bytes(format);
  store_bits(format, at, load_bits(format, at) ^ bits);
}

// The sign and the exponent of an element.
void spoil(const Problem& problem, Index element, Outcome& outcome) {
  flip(problem, element, 0xff800000u, outcome);
}

void wrong_value(const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
  spoil(problem, 5, outcome);
}

void leaves_poison(const Problem& problem, const RunOptions& options, Index, Outcome& outcome) {
  const Format format = problem.output().format;
  store_bits(format, outcome.output.data(), unwritten_bits(format, options.poison));
}

void spoils_the_empty_expert(const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
  spoil(problem, problem.spec.k * problem.spec.n + 1, outcome);
}

// Within the bound, but not the bits of the run before.
void changes_a_bit_from_run(Index from, const Problem& problem, Index run, Outcome& outcome) {
  if (run >= from) { flip(problem, 5, 1, outcome); }
}

struct Planted {
  std::string_view name;
  Aspect aspect;
  Mistake mistake;
  std::string_view line = kIntegers;
  std::string_view check = "exact_integers_match_bitwise";
  VerdictKind kind = VerdictKind::kFailed;
};

std::vector<Planted> planted() {
  using Where = MemoryFault::Where;
  const auto bit_from = [](Index from) -> Mistake {
    return [from](const Problem& problem, const RunOptions&, Index run, Outcome& outcome) {
      changes_a_bit_from_run(from, problem, run, outcome);
    };
  };
  const auto says = [](auto change) -> Mistake {
    return [change](const Problem&, const RunOptions&, Index, Outcome& out) { change(out); };
  };
  return {
      {"wrong value", Aspect::kValues, wrong_value},
      {"wrong value of a family", Aspect::kValues, wrong_value, kIntegers, "k_and_n_tails"},
      {"empty expert", Aspect::kEmptyGradient, spoils_the_empty_expert, kGradientLine},
      {"poison stays", Aspect::kUnwritten, leaves_poison},
      {"tail not zeroed", Aspect::kUnwritten,
       faulty({.where = Where::kTailRow, .operand = "y", .not_zeroed = true})},
      {"guard", Aspect::kStrayWrite, faulty({.where = Where::kGuard, .operand = "y"})},
      {"gap", Aspect::kStrayWrite, faulty({.where = Where::kGap, .operand = "y"})},
      {"tail row", Aspect::kStrayWrite, faulty({.where = Where::kTailRow, .operand = "y"})},
      {"padding row", Aspect::kStrayWrite, faulty({.where = Where::kPaddingRow, .operand = "y"})},
      {"workspace", Aspect::kStrayWrite,
       faulty({.where = Where::kWorkspaceGuard, .operand = "workspace"})},
      {"input", Aspect::kInputChanged, faulty({.where = Where::kInput, .operand = "x"})},
      {"offsets", Aspect::kInputChanged, faulty({.where = Where::kOffsets, .operand = "sizes"})},
      {"read-only input", Aspect::kInputChanged,
       ends_with(RunStatus::kCrashed, CrashKind::kInputWritten), kIntegers, "one_expert",
       VerdictKind::kCrashed},
      {"guard page", Aspect::kOutOfBounds, ends_with(RunStatus::kCrashed, CrashKind::kOutOfBounds),
       kIntegers, "exact_integers_match_bitwise", VerdictKind::kCrashed},
      {"error", Aspect::kStatus, ends_with(RunStatus::kError)},
      {"refusal", Aspect::kStatus, ends_with(RunStatus::kUnsupported)},
      {"status word", Aspect::kStatus, says([](Outcome& out) { out.status_word = 1; })},
      {"other bits", Aspect::kNotRepeatable, bit_from(1), kReals,
       "real_values_stay_within_the_bound"},
      {"third run", Aspect::kNotRepeatable, bit_from(2), kReals,
       "repeated_runs_give_the_same_bits"},
      {"other order", Aspect::kRelation, bit_from(2), kReals, "expert_order_is_irrelevant"},
      {"other arithmetic", Aspect::kManifest, bit_from(0), kReals,
       "bits_follow_the_declared_arithmetic"},
      {"signal mask", Aspect::kLeftover,
       says([](Outcome& out) { out.leftover = "left SIGINT blocked"; })},
      {"abort", Aspect::kCrash, ends_with(RunStatus::kCrashed), kIntegers,
       "exact_integers_match_bitwise", VerdictKind::kCrashed},
      {"hang", Aspect::kHang, ends_with(RunStatus::kHung), kIntegers, "nothing_else_is_written",
       VerdictKind::kHung},
  };
}

Verdict verdict_of(const Mistake& mistake, std::string_view line, std::string_view check) {
  FakeSession session(mistake);
  return find_check(check)->run(session, parsed(line));
}

TEST(Aspect, IsWhatIsWrongWhicheverCheckMeetsIt) {
  for (const Planted& one : planted()) {
    const Verdict verdict = verdict_of(one.mistake, one.line, one.check);
    EXPECT_EQ(verdict.kind, one.kind) << one.name << ": " << verdict.reason;
    ASSERT_FALSE(verdict.failed.empty()) << one.name << ": " << verdict.reason;
    EXPECT_EQ(name(verdict.failed.front().aspect), name(one.aspect)) << one.name;
    EXPECT_EQ(verdict.failed.front().reason, verdict.reason) << one.name;
  }
}

TEST(Aspect, EachIsMetBySomeMistake) {
  std::set<Aspect> met;
  for (const Planted& one : planted()) { met.insert(one.aspect); }
  met.insert(Aspect::kSanitizer);  // DeviceChecks plants it, where there is a tool to report it
  EXPECT_EQ(met.size(), all_aspects().size());
}

TEST(Aspect, NothingFailsOfARightKernel) {
  const Verdict verdict = verdict_of({}, kIntegers, "exact_integers_match_bitwise");
  EXPECT_EQ(verdict.kind, VerdictKind::kPassed) << verdict.reason;
  EXPECT_TRUE(verdict.failed.empty());
  EXPECT_EQ(headline(verdict.failed), std::nullopt);
}

TEST(Aspect, AJudgementGoesOnAfterTheFirst) {
  const Mistake several = [](const Problem& problem, const RunOptions& options, Index run,
                             Outcome& outcome) {
    outcome.leftover = "left SIGINT blocked";
    outcome.faults = {{.where = MemoryFault::Where::kGuard, .operand = "y", .byte = -1},
                      {.where = MemoryFault::Where::kInput, .operand = "x"}};
    outcome.status_word = 1;
    leaves_poison(problem, options, run, outcome);
  };
  const Verdict verdict = verdict_of(several, kIntegers, "exact_integers_match_bitwise");
  EXPECT_EQ(verdict.kind, VerdictKind::kFailed);
  std::vector<Aspect> failed;
  for (const FailedAspect& one : verdict.failed) { failed.push_back(one.aspect); }
  EXPECT_EQ(failed,
            (std::vector<Aspect>{Aspect::kLeftover, Aspect::kStrayWrite, Aspect::kInputChanged,
                                 Aspect::kStatus, Aspect::kUnwritten, Aspect::kValues}));
  EXPECT_EQ(verdict.reason, "left SIGINT blocked");
  EXPECT_TRUE(verdict.worst.has_value());
}

TEST(Aspect, WhatWasWrongBeforeACrashStaysTheHeadline) {
  const Mistake crashes_later = [](const Problem& problem, const RunOptions& options, Index run,
                                   Outcome& outcome) {
    wrong_value(problem, options, run, outcome);
    outcome.faults = {{.where = MemoryFault::Where::kGuard, .operand = "y"}};
    if (options.placement == Placement::kHigh) {
      ends_with(RunStatus::kCrashed, CrashKind::kOutOfBounds)(problem, options, run, outcome);
    }
  };
  const Verdict verdict = verdict_of(crashes_later, kIntegers, "exact_integers_match_bitwise");
  EXPECT_EQ(verdict.kind, VerdictKind::kFailed);
  EXPECT_THAT(verdict.reason, HasSubstr("was written"));
  EXPECT_EQ(headline(verdict.failed), Aspect::kStrayWrite);
  EXPECT_TRUE(has_aspect(verdict.failed, Aspect::kOutOfBounds));
  EXPECT_TRUE(has_aspect(verdict.failed, Aspect::kValues));
}

TEST(Aspect, AValueThatIsWrongElsewhereIsNotTheEmptyExperts) {
  const Mistake both = [](const Problem& problem, const RunOptions& options, Index run,
                          Outcome& outcome) {
    wrong_value(problem, options, run, outcome);
    spoils_the_empty_expert(problem, options, run, outcome);
  };
  const Verdict verdict = verdict_of(both, kGradientLine, "accumulation_keeps_empty_experts");
  EXPECT_EQ(headline(verdict.failed), Aspect::kValues);
  EXPECT_TRUE(has_aspect(verdict.failed, Aspect::kEmptyGradient));
}

TEST(Aspect, WordsNameOneEach) {
  std::set<std::string_view> words, sentences;
  for (const Aspect aspect : all_aspects()) {
    words.insert(name(aspect));
    sentences.insert(what_is_wrong(aspect));
    EXPECT_EQ(parse_aspect(name(aspect)), aspect);
  }
  EXPECT_EQ(words.size(), all_aspects().size());
  EXPECT_EQ(sentences.size(), all_aspects().size());
  EXPECT_EQ(parse_aspect("stray"), std::nullopt);
}

}  // namespace
}  // namespace assay
