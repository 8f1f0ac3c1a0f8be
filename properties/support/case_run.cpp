#include "properties/support/case_run.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "src/core/parallel.h"
#include "src/harness/judge/fingerprint_case.h"
#include "src/harness/memory/told_offsets.h"
#include "src/harness/memory/unwritten.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

int exact_bits(const DeclaredArithmetic& arithmetic, const Inputs& in) {
  if (arithmetic.partials == "bf16") { return 8; }
  if (arithmetic.partials == "fp16") { return 11; }
  if (in.codes_alone() && arithmetic.kind == DeclaredArithmetic::Kind::kTensorCore) {
    return std::clamp(arithmetic.out_bits + 1, 8, 24);
  }
  return 24;
}

Entry entry_of(const Problem& problem, const oracle::Witness& witness) {
  const Format format = problem.output().format;
  return {.expert = witness.product,
          .row = witness.row,
          .col = witness.col,
          .got_bits = witness.got_bits,
          .exact_bits = witness.exact_bits,
          .got = decode(format, witness.got_bits),
          .exact = witness.exact,
          .bound = witness.bound,
          .ratio = witness.ratio};
}

// Real values need a rule that tells them from another case's; exact ones are compared bit for bit
// anyway, and large cases repeat what small ones of the same class show.
constexpr Index kMostProductsWithPrevious = 64 * 1024;

std::vector<std::byte> previous_for(const Problem& problem) {
  const CaseSpec& spec = problem.spec;
  if (is_exact(spec.fill) || multiply_adds(spec) > kMostProductsWithPrevious) { return {}; }
  return previous_output(problem);
}

void judge_empty_gradients(Verdict& verdict, const Problem& problem, const Manifest& manifest,
                           const std::vector<std::byte>& output) {
  const auto wrong = first_wrong_empty_gradient(problem, output, manifest.subnormals);
  if (!wrong) { return; }
  fail(verdict, Aspect::kEmptyGradient,
       fmt::format("expert {} has no rows, its gradient must be {}", wrong->expert,
                   problem.spec.acc > 0 ? "C, bit for bit" : "+0"));
  if (headline(verdict.failed) != Aspect::kEmptyGradient) { return; }
  const Format format = problem.output().format;
  verdict.worst = Entry{.expert = wrong->expert,
                        .row = wrong->row,
                        .col = wrong->col,
                        .got_bits = wrong->got_bits,
                        .exact_bits = wrong->expected_bits,
                        .got = decode(format, wrong->got_bits),
                        .exact = decode(format, wrong->expected_bits)};
}

// Wrong elements of experts that have rows: what empty experts' gradients hold is judged apart.
Index wrong_beside_empty_gradients(const Problem& problem, const Manifest& manifest,
                                   const std::vector<std::byte>& output) {
  std::vector<std::uint8_t> wrong;
  judge_output(problem, output, manifest, {.wrong_map = &wrong});
  const Index elements_of_expert = static_cast<Index>(wrong.size()) / problem.spec.experts();
  Index count = 0;
  for (Index expert = 0; expert < problem.spec.experts(); ++expert) {
    if (problem.spec.rows[expert] == 0) { continue; }
    const auto first = wrong.begin() + expert * elements_of_expert;
    count += std::count_if(first, first + elements_of_expert, [](auto flag) { return flag != 0; });
  }
  return count;
}

void judge_values(Verdict& verdict, const Problem& problem, const Manifest& manifest,
                  const std::vector<std::byte>& output, const oracle::Judgement& judgement) {
  if (judgement.wrong == 0) { return; }
  verdict.wrong_elements = judgement.wrong;
  const bool may_be_empties_alone =
      reduces_rows(problem.spec.pass) &&
      first_wrong_empty_gradient(problem, output, manifest.subnormals);
  if (may_be_empties_alone && wrong_beside_empty_gradients(problem, manifest, output) == 0) {
    return;
  }
  fail(verdict, Aspect::kValues,
       fmt::format("{} of {} elements are wrong", judgement.wrong, judgement.elements));
}

}  // namespace

void fail(Verdict& verdict, Aspect aspect, const std::string& reason) {
  if (has_aspect(verdict.failed, aspect)) { return; }  // its first reason is the one to read
  if (verdict.failed.empty()) {
    verdict.kind = VerdictKind::kFailed;
    verdict.reason = reason;
  }
  verdict.failed.push_back({aspect, reason});
}

Aspect aspect_of(const MemoryFault& fault) {
  switch (fault.where) {
    case MemoryFault::Where::kInput:
    case MemoryFault::Where::kOffsets:
      return Aspect::kInputChanged;
    case MemoryFault::Where::kTailRow:
    case MemoryFault::Where::kPaddingRow:
      return fault.not_zeroed ? Aspect::kUnwritten : Aspect::kStrayWrite;
    case MemoryFault::Where::kGuard:
    case MemoryFault::Where::kGap:
    case MemoryFault::Where::kWorkspaceGuard:
      break;
  }
  return Aspect::kStrayWrite;
}

bool nothing_wrong(const Verdict& verdict) {
  return verdict.kind == VerdictKind::kPassed || verdict.kind == VerdictKind::kInconclusive;
}

void say_where(Verdict& verdict, const std::string& prefix) {
  verdict.reason = prefix + verdict.reason;
  for (FailedAspect& failed : verdict.failed) { failed.reason = prefix + failed.reason; }
}

Problem problem_for(const CaseSpec& spec, const Manifest& manifest) {
  return make_problem(spec, {.exact_bits = exact_bits(manifest.arithmetic, spec.in)});
}

const Check& plain_check(const CaseSpec& spec) {
  return *find_check(is_exact(spec.fill)             ? "exact_integers_match_bitwise"
                     : has_special_values(spec.fill) ? "special_values_propagate"
                                                     : "real_values_stay_within_the_bound");
}

bool has_ended(RunStatus status) {
  return status != RunStatus::kCrashed && status != RunStatus::kHung &&
         status != RunStatus::kNotRun;
}

namespace {

Aspect aspect_of_crash(CrashKind crash) {
  return crash == CrashKind::kOutOfBounds    ? Aspect::kOutOfBounds
         : crash == CrashKind::kInputWritten ? Aspect::kInputChanged
                                             : Aspect::kCrash;
}

void judge_unended(Verdict& verdict, RunStatus status, CrashKind crash,
                   const std::string& message) {
  if (status == RunStatus::kNotRun) {
    if (!verdict.failed.empty()) { return; }  // what was judged before stands
    verdict.kind = VerdictKind::kNotRun;
    verdict.reason = message;
    return;
  }
  const bool hung = status == RunStatus::kHung;
  const Aspect aspect = hung ? Aspect::kHang : aspect_of_crash(crash);
  const bool first = verdict.failed.empty();
  fail(verdict, aspect, message);
  // What was wrong before says more than where it ended.
  if (!first) { return; }
  verdict.kind = hung ? VerdictKind::kHung : VerdictKind::kCrashed;
}

}  // namespace

void judge_unended(Verdict& verdict, const Outcome& outcome) {
  judge_unended(verdict, outcome.status, outcome.crash, outcome.message);
  verdict.killed = outcome.killed;
}

namespace {

// Of an excluded case. A kernel is right not to look at its offsets: whatever came of the call says
// nothing of it.
bool answers_unseen_exclusion(Verdict& verdict, const Problem& problem, const Manifest& manifest,
                              const Outcome& outcome) {
  const bool refused =
      outcome.status == RunStatus::kUnsupported || outcome.status == RunStatus::kNotRun;
  const auto reason = exclusion_by_offsets(manifest, problem.spec);
  if (refused || !reason) { return false; }
  if (verdict.kind == VerdictKind::kPassed) {
    verdict.kind = VerdictKind::kUnsupported;
    verdict.reason =
        "not judged, since only the offsets tell that the manifest excludes it: " + *reason;
  }
  return true;
}

// False: nothing is left to judge. The run did not return OK.
bool judge_status(Verdict& verdict, const Problem& problem, const Manifest& manifest,
                  const Outcome& outcome) {
  ++verdict.runs;
  const std::optional<std::string> excluded = exclusion(manifest, problem.spec);
  if (!outcome.leftover.empty()) { fail(verdict, Aspect::kLeftover, outcome.leftover); }
  if (excluded && answers_unseen_exclusion(verdict, problem, manifest, outcome)) { return false; }
  switch (outcome.status) {
    case RunStatus::kOk:
      break;
    case RunStatus::kUnsupported:
      if (excluded) {
        if (verdict.kind == VerdictKind::kPassed) {
          verdict.kind = VerdictKind::kUnsupported;
          verdict.reason = "refused as the manifest says: " + *excluded;
        }
      } else {
        fail(verdict, Aspect::kStatus,
             "refused a case that the manifest declares: " + outcome.message);
      }
      return false;
    case RunStatus::kError:
      fail(verdict, Aspect::kStatus, "the kernel returned an error: " + outcome.message);
      return false;
    case RunStatus::kCrashed:
    case RunStatus::kHung:
    case RunStatus::kNotRun:
      judge_unended(verdict, outcome);
      return false;
  }
  for (const MemoryFault& fault : outcome.faults) {
    fail(verdict, aspect_of(fault), describe(fault));
  }
  if (outcome.status_word != 0 && validate_as_told(problem)) {
    fail(verdict, Aspect::kStatus,
         fmt::format("the status word was set to {} although the offsets are valid",
                     outcome.status_word));
  }
  return true;
}

}  // namespace

bool accept_status(Verdict& verdict, const Problem& problem, const Manifest& manifest,
                   const Outcome& outcome) {
  return judge_status(verdict, problem, manifest, outcome) && nothing_wrong(verdict);
}

void judge_numbers(Verdict& verdict, const Problem& problem, const Manifest& manifest,
                   const std::vector<std::byte>& output) {
  const std::vector<std::byte> previous = previous_for(problem);
  const oracle::Judgement judgement =
      judge_output(problem, output, manifest, {.previous = previous.empty() ? nullptr : &previous});
  verdict.elements = judgement.elements;
  if (judgement.elements > 0 && !(judgement.worst_ratio < verdict.worst_ratio)) {
    verdict.worst_ratio = judgement.worst_ratio;
    verdict.worst = entry_of(problem, judgement.worst);
  }
  judge_values(verdict, problem, manifest, output, judgement);
  judge_empty_gradients(verdict, problem, manifest, output);
  if (verdict.kind == VerdictKind::kPassed && judgement.inconclusive()) {
    verdict.kind = VerdictKind::kInconclusive;
    verdict.reason = "the rule would accept a trivial wrong answer on this case";
  }
}

void judge_by_fingerprint(Verdict& verdict, Session& kernel, const Problem& problem,
                          const Outcome& outcome) {
  std::random_device device;  // drawn now, after the kernel has returned
  const std::uint64_t seed = (std::uint64_t{device()} << 32) | device();
  const int threads = available_threads();
  const auto result =
      check_fingerprint(kernel, problem, outcome, {.seed = seed, .threads = threads});
  if (result.status != RunStatus::kOk) {
    return judge_unended(verdict, result.status, CrashKind::kOther, result.message);
  }
  if (!result.reason.empty()) {
    if (!nothing_wrong(verdict)) { return; }
    verdict.kind = VerdictKind::kInconclusive;
    verdict.reason = "the fingerprint cannot judge this case: " + result.reason;
    return;
  }
  verdict.elements = problem.output().rows * problem.output().cols;
  if (result.held) { return; }
  fail(verdict, Aspect::kValues,
       fmt::format("{} of {} rows are wrong", result.wrong_rows, result.rows_checked));
  if (!result.named) { return; }
  verdict.worst = Entry{.expert = result.product,
                        .row = result.row,
                        .col = result.col,
                        .got = result.got,
                        .exact = result.exact};
}

namespace {

// Judges an output unless `judged` has the same bits: judging takes longer than comparing.
void judge_numbers_once(Verdict& verdict, const Problem& problem, const Manifest& manifest,
                        const Outcome& outcome, const CaseRun* judged) {
  const bool known = judged != nullptr && nothing_wrong(judged->verdict) &&
                     same_bytes(outcome.output, judged->low.output);
  if (!known) { return judge_numbers(verdict, problem, manifest, outcome.output); }
  const Verdict& right = judged->verdict;
  verdict.elements = right.elements;
  if (right.worst && !(right.worst_ratio < verdict.worst_ratio)) {
    verdict.worst_ratio = right.worst_ratio;
    verdict.worst = right.worst;
  }
  if (verdict.kind == VerdictKind::kPassed) {
    verdict.kind = right.kind;
    verdict.reason = right.reason;
  }
}

}  // namespace

bool accept_outcome(Verdict& verdict, const Problem& problem, const Manifest& manifest,
                    const Outcome& outcome, const CaseRun* judged) {
  if (!judge_status(verdict, problem, manifest, outcome)) { return false; }
  judge_numbers_once(verdict, problem, manifest, outcome, judged);
  return nothing_wrong(verdict);
}

CaseRun run_and_judge(Session& kernel, const Problem& problem, const CaseRun* judged) {
  CaseRun run;
  run.verdict.kind = VerdictKind::kPassed;
  const Manifest& manifest = kernel.manifest();
  run.low = kernel.run(problem, {.placement = Placement::kLow, .poison = 0});
  if (!judge_status(run.verdict, problem, manifest, run.low)) { return run; }
  run.high = kernel.run(problem, {.placement = Placement::kHigh, .poison = 1});
  if (!judge_status(run.verdict, problem, manifest, run.high)) {
    if (!run.verdict.failed.empty()) {
      judge_numbers(run.verdict, problem, manifest, run.low.output);
    }
    return run;
  }
  if (const auto unwritten = first_unwritten(problem, run.low, run.high)) {
    fail(run.verdict, Aspect::kUnwritten, describe(*unwritten));
  }
  judge_numbers_once(run.verdict, problem, manifest, run.low, judged);
  if (!same_bytes(run.low.output, run.high.output)) {
    judge_numbers(run.verdict, problem, manifest, run.high.output);
    if (same_case_repeats_bits(manifest, problem.spec)) {
      require_same_bits(run.verdict, problem, run.low.output, run.high.output,
                        "the same case in other memory");
    }
  }
  return run;
}

Verdict judge_case_whole(Session& kernel, const CaseSpec& spec) {
  return run_and_judge(kernel, problem_for(spec, kernel.manifest())).verdict;
}

Verdict judge_called_otherwise(Session& kernel, const CaseSpec& spec, const RunOptions& otherwise,
                               const std::string& what) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun plain = run_and_judge(kernel, problem);
  Verdict& verdict = plain.verdict;
  if (!nothing_wrong(verdict)) { return verdict; }
  const Outcome outcome = kernel.run(problem, otherwise);
  if (!accept_outcome(verdict, problem, manifest, outcome, &plain)) { return verdict; }
  if (same_case_repeats_bits(manifest, spec)) {
    require_same_bits(verdict, problem, plain.low.output, outcome.output, what);
  }
  return verdict;
}

}  // namespace assay
