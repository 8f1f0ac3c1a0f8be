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

int exact_bits(const DeclaredArithmetic& arithmetic, Format in) {
  if (arithmetic.partials == "bf16") { return 8; }
  if (arithmetic.partials == "fp16") { return 11; }
  if (size_bytes(in) == 1 && arithmetic.kind == DeclaredArithmetic::Kind::kTensorCore) {
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
  if (is_exact(spec.fill) || total_products(spec) > kMostProductsWithPrevious) { return {}; }
  return previous_output(problem);
}

void judge_empty_gradients(Verdict& verdict, const Problem& problem,
                           const std::vector<std::byte>& output) {
  const auto wrong = first_wrong_empty_gradient(problem, output);
  if (!wrong) { return; }
  fail(verdict, fmt::format("expert {} has no rows, its gradient must be {}", wrong->expert,
                            problem.spec.acc > 0 ? "C, bit for bit" : "+0"));
  const Format format = problem.output().format;
  verdict.worst = Entry{.expert = wrong->expert,
                        .row = wrong->row,
                        .col = wrong->col,
                        .got_bits = wrong->got_bits,
                        .exact_bits = wrong->expected_bits,
                        .got = decode(format, wrong->got_bits),
                        .exact = decode(format, wrong->expected_bits)};
}

}  // namespace

void fail(Verdict& verdict, const std::string& reason) {
  if (verdict.kind == VerdictKind::kFailed || verdict.kind == VerdictKind::kCrashed ||
      verdict.kind == VerdictKind::kHung) {
    return;  // the first reason is the one to read
  }
  verdict.kind = VerdictKind::kFailed;
  verdict.reason = reason;
}

Problem problem_for(const CaseSpec& spec, const Manifest& manifest) {
  return make_problem(spec, {.exact_bits = exact_bits(manifest.arithmetic, spec.in)});
}

bool has_ended(RunStatus status) {
  return status != RunStatus::kCrashed && status != RunStatus::kHung &&
         status != RunStatus::kNotRun;
}

static void judge_unended(Verdict& verdict, RunStatus status, const std::string& message) {
  verdict.kind = status == RunStatus::kCrashed ? VerdictKind::kCrashed
                 : status == RunStatus::kHung  ? VerdictKind::kHung
                                               : VerdictKind::kNotRun;
  verdict.reason = message;
}

void judge_unended(Verdict& verdict, const Outcome& outcome) {
  judge_unended(verdict, outcome.status, outcome.message);
  verdict.killed = outcome.killed;
}

bool accept_status(Verdict& verdict, const Problem& problem, const Manifest& manifest,
                   const Outcome& outcome) {
  ++verdict.runs;
  const std::optional<std::string> excluded = exclusion(manifest, problem.spec);
  if (!outcome.leftover.empty()) { fail(verdict, outcome.leftover); }
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
        fail(verdict, "refused a case that the manifest declares: " + outcome.message);
      }
      return false;
    case RunStatus::kError:
      fail(verdict, "the kernel returned an error: " + outcome.message);
      return false;
    case RunStatus::kCrashed:
    case RunStatus::kHung:
    case RunStatus::kNotRun:
      judge_unended(verdict, outcome);
      return false;
  }
  for (const MemoryFault& fault : outcome.faults) { fail(verdict, describe(fault)); }
  if (outcome.status_word != 0 && validate_as_told(problem)) {
    fail(verdict, fmt::format("the status word was set to {} although the offsets are valid",
                              outcome.status_word));
  }
  return verdict.kind == VerdictKind::kPassed;
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
  if (judgement.wrong > 0) {
    verdict.wrong_elements = judgement.wrong;
    fail(verdict, fmt::format("{} of {} elements are wrong", judgement.wrong, judgement.elements));
  }
  judge_empty_gradients(verdict, problem, output);
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
    return judge_unended(verdict, result.status, result.message);
  }
  if (!result.reason.empty()) {
    verdict.kind = VerdictKind::kInconclusive;
    verdict.reason = "the fingerprint cannot judge this case: " + result.reason;
    return;
  }
  verdict.elements = problem.output().rows * problem.output().cols;
  if (result.held) { return; }
  fail(verdict, fmt::format("{} of {} rows are wrong", result.wrong_rows, result.rows_checked));
  if (!result.named) { return; }
  verdict.worst = Entry{.expert = result.product,
                        .row = result.row,
                        .col = result.col,
                        .got = result.got,
                        .exact = result.exact};
}

bool accept_outcome(Verdict& verdict, const Problem& problem, const Manifest& manifest,
                    const Outcome& outcome) {
  if (!accept_status(verdict, problem, manifest, outcome)) { return false; }
  judge_numbers(verdict, problem, manifest, outcome.output);
  return verdict.kind == VerdictKind::kPassed;
}

CaseRun run_and_judge(Session& kernel, const Problem& problem) {
  CaseRun run;
  run.verdict.kind = VerdictKind::kPassed;
  const Manifest& manifest = kernel.manifest();
  run.low = kernel.run(problem, {.placement = Placement::kLow, .poison = 0});
  if (!accept_status(run.verdict, problem, manifest, run.low)) { return run; }
  run.high = kernel.run(problem, {.placement = Placement::kHigh, .poison = 1});
  if (!accept_status(run.verdict, problem, manifest, run.high)) { return run; }
  if (const auto unwritten = first_unwritten(problem, run.low, run.high)) {
    fail(run.verdict, describe(*unwritten));
  }
  judge_numbers(run.verdict, problem, manifest, run.low.output);
  if (run.low.output != run.high.output) {
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
  if (verdict.kind != VerdictKind::kPassed) { return verdict; }
  const Outcome outcome = kernel.run(problem, otherwise);
  if (!accept_outcome(verdict, problem, manifest, outcome)) { return verdict; }
  if (same_case_repeats_bits(manifest, spec)) {
    require_same_bits(verdict, problem, plain.low.output, outcome.output, what);
  }
  return verdict;
}

bool require_same_bits(Verdict& verdict, const Problem& problem,
                       const std::vector<std::byte>& first, const std::vector<std::byte>& second,
                       const std::string& what) {
  const DenseOperand& output = problem.output();
  const Index element_bytes = size_bytes(output.format);
  if (first == second) { return true; }
  const Index elements = static_cast<Index>(std::min(first.size(), second.size())) / element_bytes;
  for (Index element = 0; element < elements; ++element) {
    const std::uint32_t a = load_bits(output.format, first.data() + element * element_bytes);
    const std::uint32_t b = load_bits(output.format, second.data() + element * element_bytes);
    const double a_value = decode(output.format, a);
    const double b_value = decode(output.format, b);
    // Payloads of NaN are nobody's contract.
    if (a == b || (a_value != a_value && b_value != b_value)) { continue; }
    const Index row = element / output.cols;
    Index expert = 0;
    Index first_row = 0;
    if (reduces_rows(problem.spec.pass)) {
      const Index rows = output.rows / problem.spec.experts();
      expert = row / rows;
      first_row = expert * rows;
    } else {
      while (problem.dense_starts[expert + 1] <= row) { ++expert; }
      first_row = problem.dense_starts[expert];
    }
    // An element that is known to be wrong says more, and holds the exact value.
    if (verdict.kind != VerdictKind::kPassed) { return false; }
    fail(verdict, fmt::format("{} gives other bits: {:#x} and {:#x}", what, a, b));
    verdict.worst = Entry{.expert = expert,
                          .row = row - first_row,
                          .col = element % output.cols,
                          .got_bits = b,
                          .exact_bits = a,
                          .got = b_value,
                          .exact = a_value};
    return false;
  }
  if (first.size() != second.size()) {
    fail(verdict, what + " gives another number of elements");
    return false;
  }
  return true;
}

double best_seconds(Session& kernel, const Problem& problem, Verdict& verdict) {
  constexpr int kTimings = 3;
  double best = 0;
  std::vector<std::byte> judged;
  for (int timing = 0; timing < kTimings; ++timing) {
    Outcome outcome = kernel.run(problem, {});
    const bool same = timing > 0 && outcome.output == judged;
    if (!(same ? accept_status(verdict, problem, kernel.manifest(), outcome)
               : accept_outcome(verdict, problem, kernel.manifest(), outcome))) {
      return 0;
    }
    best = timing == 0 ? outcome.seconds : std::min(best, outcome.seconds);
    judged = std::move(outcome.output);
  }
  return best;
}

void measure(Verdict& verdict, double value) {
  verdict.kind = VerdictKind::kMeasured;
  verdict.measured = value;
}

void measure_ratio(Verdict& verdict, double seconds, double over_seconds) {
  if (seconds > 0 && over_seconds > 0) { return measure(verdict, seconds / over_seconds); }
  leave_unmeasured(verdict, "a run took less than the clock's tick");
}

void leave_unmeasured(Verdict& verdict, const std::string& reason) {
  verdict.kind = VerdictKind::kNotRun;
  verdict.reason = reason;
}

bool same_case_repeats_bits(const Manifest& manifest, const CaseSpec& spec) {
  return is_exact(spec.fill) || manifest.deterministic;
}

bool rows_repeat_bits(const Manifest& manifest, const CaseSpec& spec) {
  if (is_exact(spec.fill)) { return true; }
  return !reduces_rows(spec.pass) && manifest.deterministic && manifest.batch_invariant;
}

}  // namespace assay
