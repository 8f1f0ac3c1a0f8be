#include "src/probe/probe_session.h"

#include <algorithm>

#include <fmt/format.h>

#include "properties/generators/fit.h"
#include "src/harness/judge/judge_case.h"
#include "src/harness/memory/case_memory.h"
#include "src/problem/case_text.h"
#include "src/problem/convention.h"

namespace assay {
namespace {

constexpr int kNarrowestAccumulator = 8;  // bits: exact sums in any partial format
constexpr Index kGapRows = 8;

Answer answer_of(RunStatus status) {
  switch (status) {
    case RunStatus::kOk:
      return Answer::kRight;
    case RunStatus::kUnsupported:
      return Answer::kRefused;
    case RunStatus::kCrashed:
      return Answer::kCrashed;
    case RunStatus::kHung:
      return Answer::kHung;
    case RunStatus::kError:
    case RunStatus::kNotRun:
      break;
  }
  return Answer::kError;
}

bool is_large(const Problem& problem) {
  return memory_of_case(problem.spec, {}).total() >= MemoryBudget::kCountedFrom;
}

void look_at_memory(const Outcome& outcome, Attempt& attempt) {
  for (const MemoryFault& fault : outcome.faults) {
    if (fault.where == MemoryFault::Where::kTailRow) {
      attempt.tail_written = true;
    } else if (fault.where == MemoryFault::Where::kPaddingRow) {
      attempt.padding_written = true;
    } else if (attempt.right()) {
      attempt.answer = Answer::kWrong;
      attempt.why = describe(fault);
    }
  }
}

void look_at_numbers(const Problem& problem, const Manifest& manifest, const Outcome& outcome,
                     Attempt& attempt) {
  if (!attempt.right()) { return; }
  const oracle::Judgement judgement = judge_output(problem, outcome.output, manifest);
  if (judgement.wrong == 0) { return; }
  attempt.answer = Answer::kWrong;
  attempt.why = fmt::format("{} of {} elements are wrong", judgement.wrong, judgement.elements);
}

}  // namespace

std::string_view name(Answer answer) {
  constexpr std::string_view kNames[] = {"right",    "wrong",   "refused",
                                         "an error", "a crash", "a hang"};
  return kNames[static_cast<int>(answer)];
}

void ProbeSession::expect_rows(UnownedRows tail, UnownedRows padding, PaddingInput input) {
  Manifest manifest = own_;
  manifest.tail_rows = tail;
  manifest.padding_rows = padding;
  manifest.padding_input = input;
  kernel_.assume(manifest);
}

void ProbeSession::expect_untouched_rows() {
  expect_rows(UnownedRows::kUntouched, UnownedRows::kUntouched, own_.padding_input);
}

CaseSpec ProbeSession::placed(CaseSpec spec) const {
  fit_rows(spec, own_);
  use_first_scale_places(spec, own_);  // the others are the checks' to judge
  return spec;
}

Outcome ProbeSession::run(const Problem& problem, const RunOptions& options) {
  ++runs_;
  Outcome outcome = kernel_.run(problem, options);
  if (outcome.status == RunStatus::kHung) { ++hung_; }
  // A large case that the machine has no memory for is no reason: others run. Nor is a launch that
  // cannot be made.
  const bool direct = options.launch == Launch::kDirect;
  if (outcome.status == RunStatus::kNotRun && (runs_ == 1 || (direct && !is_large(problem)))) {
    not_run_ = outcome.message;
  }
  return outcome;
}

Attempt ProbeSession::try_case(const CaseSpec& wanted, Rows rows) {
  const CaseSpec spec = rows == Rows::kPlaced ? placed(wanted) : wanted;
  if (const Status possible = check_case(spec); !possible) {
    return {Answer::kRefused, possible.error().message};
  }
  const Problem problem = make_problem(spec, problem_options());
  Attempt attempt = try_run(problem, {.placement = Placement::kLow, .poison = 0});
  if (!attempt.right()) { return attempt; }
  const Attempt high = try_run(problem, {.placement = Placement::kHigh, .poison = 1});
  attempt.answer = high.answer;
  attempt.why = high.why;
  attempt.tail_written = attempt.tail_written || high.tail_written;
  attempt.padding_written = attempt.padding_written || high.padding_written;
  return attempt;
}

Attempt ProbeSession::try_run(const Problem& problem, const RunOptions& options) {
  Attempt attempt{Answer::kRight};
  attempt.low = run(problem, options);
  attempt.answer = answer_of(attempt.low.status);
  attempt.why = attempt.low.message;
  if (attempt.right()) {
    look_at_memory(attempt.low, attempt);
    look_at_numbers(problem, kernel_.manifest(), attempt.low, attempt);
  }
  return attempt;
}

ProblemOptions problem_options() { return {.exact_bits = kNarrowestAccumulator}; }

CaseSpec with_offsets(CaseSpec spec, const OffsetsKind& kind) {
  const ConventionTraits& row = traits(kind.convention);
  spec.offsets = spec.told = kind;
  spec.pad = row.starts_follow_pad ? kGapRows : 1;
  const Index most = *std::max_element(spec.rows.begin(), spec.rows.end());
  // A buffer that is larger than any expert: its rows are where no other convention looks.
  spec.cap = row.has_buffers ? (most / kGapRows + 1) * kGapRows : Index{0};
  if (row.has_buffers) { spec.tail = 0; }
  return spec;
}

}  // namespace assay
