#include "fuzz/kernel_trial.h"

#include <cstdio>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

#include "fuzz/case_features.h"
#include "fuzz/crash_line.h"
#include "src/core/require.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"
#include "src/problem/problem.h"

namespace assay {
namespace {

// Checks that compare a few runs of small cases; those that need size, time or a GPU are not here.
constexpr std::string_view kFurtherChecks[] = {
    "nothing_outside_is_read",
    "dirty_memory_changes_nothing",
    "workspace_may_be_dirty_and_is_reusable",
    "accumulation_keeps_empty_experts",
    "accumulation_adds_twice",
    "experts_do_not_leak_into_each_other",
    "expert_order_is_irrelevant",
    "splitting_an_expert_changes_no_row",
    "split_gradients_add_up",
    "inserting_empty_experts_changes_nothing",
    "tail_rows_change_nothing",
    "rows_do_not_depend_on_the_batch",
    "scaling_by_two_is_exact",
    "forward_and_gradients_are_adjoint",
    "every_convention_gives_the_same_result",
    "invalid_offsets_do_what_the_manifest_says",
    "repeated_runs_give_the_same_bits",
};
constexpr std::uint64_t kOneIn = 8;

const Check& check_of(std::string_view name) {
  const Check* check = find_check(name);
  ASSAY_REQUIRE(check != nullptr, name);
  return *check;
}

// The check that judges a case of this fill whole.
const Check& whole_check_of(Fill fill) {
  switch (fill) {
    case Fill::kAnchored:
      return check_of("anchored_integers_match_bitwise");
    case Fill::kIntegers:
    case Fill::kCoded:
    case Fill::kSparse:
      return check_of("exact_integers_match_bitwise");
    case Fill::kSpecial:
    case Fill::kExtreme:
      return check_of("special_values_propagate");
    default:
      return check_of("real_values_stay_within_the_bound");
  }
}

const Check& further_check_of(std::uint64_t seed) {
  return check_of(kFurtherChecks[seed / kOneIn % std::size(kFurtherChecks)]);
}

}  // namespace

bool Trial::failed() const {
  return verdict.kind == VerdictKind::kFailed || verdict.kind == VerdictKind::kCrashed ||
         verdict.kind == VerdictKind::kHung;
}

KernelTrial::KernelTrial(std::unique_ptr<Session> session)
    : session_(std::move(session)), space_(space_of(session_->manifest())) {}

Result<std::unique_ptr<KernelTrial>> KernelTrial::open(const std::string& kernel) {
  Result<std::unique_ptr<Session>> session = open_in_process_session(kernel);
  ASSAY_TRY(session);
  return std::unique_ptr<KernelTrial>(new KernelTrial(std::move(*session)));
}

KernelTrial& KernelTrial::from_environment() {
  // Never destroyed: a crash handler may still ask for it.
  static KernelTrial* const trial = [] {
    const char* named = std::getenv("ASSAY_FUZZ_KERNEL");
    const std::string kernel = named != nullptr && *named != '\0' ? named : "cpu";
    Result<std::unique_ptr<KernelTrial>> opened = open(kernel);
    if (!opened) {
      std::fprintf(stderr, "ASSAY_FUZZ_KERNEL='%s': %s\n", kernel.c_str(),
                   opened.error().message.c_str());
      std::exit(2);
    }
    return opened->release();
  }();
  return *trial;
}

Trial KernelTrial::run_check(const Check& check, const CaseSpec& spec) {
  remember_line(short_text(spec), fmt::format("{} --check {}", shell_word(kernel()), check.name));
  return {&check, spec, check.run(*session_, spec)};
}

bool KernelTrial::can_run(const Check& check, const CaseSpec& spec) const {
  const bool applies = !check.not_applicable || !check.not_applicable(session_->manifest());
  return applies && check_case(spec).has_value() && is_within(spec, space_);
}

Trial KernelTrial::run(const CaseSpec& spec) {
  mark_case_features(spec, session_->manifest());
  Trial whole = run_check(whole_check_of(spec.fill), spec);
  mark_verdict_features(spec, whole.verdict);
  if (whole.verdict.kind != VerdictKind::kPassed) { return whole; }
  const Check& bits = check_of("bits_follow_the_declared_arithmetic");
  const bool real = !is_exact(spec.fill) && !has_special_values(spec.fill);
  if (real && can_run(bits, spec)) {
    if (Trial trial = run_check(bits, spec); trial.failed()) { return trial; }
  }
  if (spec.seed % kOneIn != 0) { return whole; }
  const Check& further = further_check_of(spec.seed);
  CaseSpec prepared = spec;
  if (further.prepare) { further.prepare(prepared, session_->manifest()); }
  if (!can_run(further, prepared)) { return whole; }
  Trial trial = run_check(further, prepared);
  return trial.failed() ? trial : whole;
}

std::string failure_text(const Trial& trial, const std::string& kernel) {
  const std::string line = short_text(trial.spec);
  std::string text = fmt::format("{}: {} ({})\ncase: {}\n", name(trial.verdict.kind),
                                 trial.verdict.reason, trial.check->name, line);
  if (trial.verdict.worst) {
    const Entry& worst = *trial.verdict.worst;
    text += fmt::format(
        "worst: expert {} row {} col {}: exact {} ({:a}, {:#x}), got {} ({:a}, {:#x}), "
        "bound {} ({:a})\n",
        worst.expert, worst.row, worst.col, worst.exact, worst.exact, worst.exact_bits, worst.got,
        worst.got, worst.got_bits, worst.bound, worst.bound);
  }
  return text + fmt::format("replay: ./run assay run '{}' --kernel {} --check {}\n", line,
                            shell_word(kernel), trial.check->name);
}

}  // namespace assay
