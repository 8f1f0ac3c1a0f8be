// assay run: one case, as a finding's replay line has it.
#include <chrono>
#include <random>
#include <unistd.h>

#include <fmt/format.h>

#include "properties/support/case_run.h"
#include "properties/support/run_check.h"
#include "src/campaign/certify.h"
#include "src/campaign/progress.h"
#include "src/campaign/sequence.h"
#include "src/cli/command.h"
#include "src/cli/kernel_options.h"
#include "src/cli/npy.h"
#include "src/core/file.h"
#include "src/core/parallel.h"
#include "src/core/text.h"
#include "src/diagnosis/tile_map.h"
#include "src/harness/judge/fingerprint_case.h"
#include "src/problem/case_list.h"
#include "src/problem/case_text.h"
#include "src/report/report_json.h"
#include "src/report/report_text.h"

namespace assay {
namespace {

struct RunWords {
  std::vector<std::string> words;
  std::string kernel, check, dump, verify, map, cases;
  std::vector<std::string> before;
  bool exact = false;
  Opening opening;
  int threads = available_threads();
  Index repeats = 0;
  double deadline_seconds = 30;
};

void define(CLI::App& app, RunWords& options) {
  app.add_option("CASE", options.words, "`pass=fwd k=96 n=64 rows=0,7,128,1`, one word or several");
  CLI::Option* const cases = app.add_option("--cases", options.cases,
                                            "instead of CASE: a file with one case a line, or -");
  app.add_option("--kernel", options.kernel, "a built-in kernel or a path")->required();
  app.add_option("--check", options.check, "default: status, memory and every owned element");
  app.add_option("--before", options.before,
                 "`N * CHECK: CASE`: runs first in the same process (as often as given); or @FILE, "
                 "one a line")
      ->allow_extra_args(false)
      ->excludes(cases);
  app.add_option("--verify", options.verify, "one run, judged in one way, with both times")
      ->check(one_of({"fingerprint", "fast", "exact"}))
      ->excludes(cases);
  app.add_flag("--exact", options.exact, "the same as --verify exact")->excludes(cases);
  app.add_flag("--in-process", options.opening.in_process,
               "no worker: for a debugger or a sanitizer");
  app.add_option("--repeats", options.repeats, "so many runs, whose bits must all be the same")
      ->check(whole_number(2, 100'000'000))
      ->excludes(cases);
  app.add_option("--dump", options.dump, "folder for operands, expected and actual as .npy")
      ->excludes(cases);
  app.add_option("--tile-map", options.map, "the map of wrong tiles as JSON: a file, or -")
      ->excludes(cases);
  app.add_option("--threads", options.threads, "threads of the judge")
      ->check(whole_number(1, 1024));
  app.add_option("--deadline", options.deadline_seconds, "seconds that one call may take")
      ->check(positive_seconds());
  add_load_seconds(app, options.opening);
}

int exit_code(VerdictKind kind) {
  if (kind == VerdictKind::kPassed || kind == VerdictKind::kMeasured) { return kExitPassed; }
  return is_finding(kind) ? kExitFailed : kExitIncomplete;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Status dump(const std::string& folder, const Problem& problem, const Outcome& outcome) {
  const auto file = [&](std::string_view name) { return fmt::format("{}/{}.npy", folder, name); };
  for (const Role role : {Role::kX, Role::kW, Role::kY}) {
    if (role == output_role(problem.spec.pass) && problem.spec.acc == 0) { continue; }
    const DenseOperand& operand = problem.operands[role];
    const std::string label =
        role == output_role(problem.spec.pass) ? "c" : std::string(name(role));
    ASSAY_TRY(
        write_npy(file(label), operand.format, operand.bits.data(), operand.rows, operand.cols));
    const DenseScales& scales = problem.scales[role];
    if (scales.present()) { ASSAY_TRY(write_npy(file(label + "_scale"), scales)); }
    if (scales.tensors > 0) {
      ASSAY_TRY(write_npy(file(label + "_tensor_scale"), scales.tensor_scales));
    }
  }
  if (const DenseOperand& bias = problem.bias; problem.spec.bias) {
    ASSAY_TRY(write_npy(file("bias"), bias.format, bias.bits.data(), bias.rows, bias.cols));
  }
  const Role stored = output_role(problem.spec.pass);
  if (const DenseScales& scales = problem.scales[stored]; scales.present()) {
    ASSAY_TRY(write_npy(file(std::string(name(stored)) + "_scale"), scales));
  }
  const DenseOperand& output = problem.output();
  const auto write = [&](std::string_view what, const std::vector<std::byte>& bits) {
    return write_npy(file(what), output.format, bits.data(), output.rows, output.cols);
  };
  ASSAY_TRY(write("expected", exact_output(problem)));
  ASSAY_TRY(write("actual", outcome.output));
  ASSAY_TRY(write_npy(file("offsets"), problem.offsets.values));
  if (problem.offsets.sizes.empty()) { return {}; }
  return write_npy(file("sizes"), problem.offsets.sizes);
}

// What a fingerprint says; exit 3 where it cannot judge the case.
int verify_by_fingerprint(Session& session, const Problem& problem, const Outcome& outcome,
                          const RunWords& options) {
  const auto start = std::chrono::steady_clock::now();
  std::random_device device;  // drawn now, after the kernel has returned
  const std::uint64_t seed = (std::uint64_t{device()} << 32) | device();
  const auto result =
      check_fingerprint(session, problem, outcome, {.seed = seed, .threads = options.threads});
  const double taken = seconds_since(start);
  if (result.status != RunStatus::kOk) {
    fmt::print("{}: {}\n", result.status == RunStatus::kHung ? "Hung" : "Crashed",
               one_line(result.message, kSentenceLength));
    return kExitFailed;
  }
  if (!result.reason.empty()) {
    fmt::print("Inconclusive: the fingerprint cannot judge this case: {}\n",
               one_line(result.reason, kSentenceLength));
    return kExitIncomplete;
  }
  fmt::print("{}: fingerprint of {} rows, {} wrong\n", result.held ? "Passed" : "Failed",
             result.rows_checked, result.wrong_rows);
  if (result.named) {
    fmt::print(
        "  worst   expert {} row {} column {}\n  exact   {:.9g} = {:a}\n"
        "  got     {:.9g} = {:a}\n",
        result.product, result.row, result.col, result.exact, result.exact, result.got, result.got);
  }
  fmt::print("  kernel {:.3f} s, verification {:.3f} s: {:.3f} of the kernel's time\n",
             outcome.seconds, taken, taken / outcome.seconds);
  return result.held ? kExitPassed : kExitFailed;
}

int verify_by_oracle(const Problem& problem, const Outcome& outcome, const Manifest& manifest,
                     const RunWords& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto judged =
      judge_output(problem, outcome.output, manifest,
                   {.exact_oracle = options.verify == "exact", .threads = options.threads});
  const double taken = seconds_since(start);
  const bool right = judged.wrong == 0;
  const bool trusted = !judged.inconclusive();
  fmt::print("{}: {} of {} elements wrong, worst error/bound {:.3g}, {} left to the exact oracle\n",
             right ? (trusted ? "Passed" : "Inconclusive") : "Failed", judged.wrong,
             judged.elements, judged.worst_ratio, judged.escalated);
  const Format out = problem.output().format;
  if (judged.elements > 0) {
    fmt::print("{}", entry_text({.expert = judged.worst.product,
                                 .row = judged.worst.row,
                                 .col = judged.worst.col,
                                 .got_bits = judged.worst.got_bits,
                                 .exact_bits = judged.worst.exact_bits,
                                 .got = decode(out, judged.worst.got_bits),
                                 .exact = judged.worst.exact,
                                 .bound = judged.worst.bound,
                                 .ratio = judged.worst.ratio},
                                problem.spec));
  }
  fmt::print("  kernel {:.3f} s, verification {:.3f} s: {:.3f} of the kernel's time\n",
             outcome.seconds, taken, taken / outcome.seconds);
  return right ? (trusted ? kExitPassed : kExitIncomplete) : kExitFailed;
}

int verify(Session& session, const CaseSpec& spec, const RunWords& options) {
  const Problem problem = problem_for(spec, session.manifest());
  const bool by_fingerprint = options.verify == "fingerprint";
  const Outcome outcome =
      session.run(problem, {.placement = Placement::kLow, .operands_stay = by_fingerprint});
  Verdict verdict{.kind = VerdictKind::kPassed};
  if (!accept_status(verdict, problem, session.manifest(), outcome)) {
    fmt::print("{}: {}\n", name(verdict.kind), one_line(verdict.reason, kSentenceLength));
    return exit_code(verdict.kind);
  }
  return by_fingerprint ? verify_by_fingerprint(session, problem, outcome, options)
                        : verify_by_oracle(problem, outcome, session.manifest(), options);
}

// The first run judged, the others held against its bits.
int repeat(Session& session, const CaseSpec& spec, const RunWords& options) {
  const Problem problem = problem_for(spec, session.manifest());
  Verdict verdict{.kind = VerdictKind::kPassed};
  const Outcome first = session.run(problem, {});
  bool equal = accept_outcome(verdict, problem, session.manifest(), first);
  Index runs = 1;
  for (; equal && runs < options.repeats; ++runs) {
    const Outcome again = session.run(problem, {.poison = static_cast<int>(runs % 2)});
    equal = accept_status(verdict, problem, session.manifest(), again) &&
            require_same_bits(verdict, problem, first.output, again.output,
                              fmt::format("run {}", runs + 1));
  }
  fmt::print("{}: {} runs of {} elements, {}\n", name(verdict.kind), runs, verdict.elements,
             equal ? "all bits equal" : one_line(verdict.reason, kSentenceLength));
  return exit_code(verdict.kind);
}

// Calls that no check makes: their memory is counted here.
int run_plainly(Session& session, const CaseSpec& spec, const RunWords& options) {
  const auto share = take_memory(spec, session.manifest(), {.problems = 1, .outputs = 2});
  if (!share) {
    fmt::print("{}: {}\n", name(VerdictKind::kNotRun), share.error().message);
    return kExitIncomplete;
  }
  return options.verify.empty() ? repeat(session, spec, options) : verify(session, spec, options);
}

void print_verdict(const Check& check, const CaseSpec& spec, const Verdict& verdict,
                   Session& session, const RunWords& options) {
  const TextStyle style{.colour = takes_colour(STDOUT_FILENO)};
  if (is_finding(verdict.kind)) {
    Finding finding =
        as_met(options.kernel, {.check = &check, .job = 0, .spec = spec, .verdict = verdict});
    if (verdict.kind == VerdictKind::kFailed) { finding.diagnosis = diagnose(session, {spec}); }
    fmt::print("{}", finding_text(options.kernel, finding, style));
    return;
  }
  std::string said = one_line(verdict.reason, kSentenceLength);
  if (verdict.measured) {
    said = fmt::format("{} {}{}{}", figure_text(*verdict.measured), check.measures->unit,
                       said.empty() ? "" : "; ", said);
  }
  fmt::print("{}: {} ({}){}\n  case    {}\n", name(verdict.kind), name_text(options.kernel),
             check.name, said.empty() ? "" : ": " + said, short_text(spec));
  if (verdict.worst) { fmt::print("{}", entry_text(*verdict.worst, spec)); }
  fmt::print("  judged  {} elements in {} runs, worst error/bound {:.3g}\n", verdict.elements,
             verdict.runs, verdict.worst_ratio);
}

// One more plain run, for the arrays and the map that the options ask for.
Status look_closer(Session& session, const CaseSpec& spec, bool failed, const RunWords& options) {
  if (options.dump.empty() && options.map.empty() && !failed) { return {}; }
  const auto share = take_memory(spec, session.manifest());
  ASSAY_TRY(share);
  const Problem problem = problem_for(spec, session.manifest());
  const Outcome outcome = session.run(problem, {.placement = Placement::kLow});
  if (outcome.status != RunStatus::kOk) { return {}; }
  if (!options.dump.empty()) {
    ASSAY_TRY(dump(options.dump, problem, outcome));
    fmt::print(stderr, "arrays are in {}\n", one_line(options.dump));
  }
  if (!failed && options.map.empty()) { return {}; }
  const TileMap map = make_tile_map(problem, session.manifest(), outcome.output);
  if (failed) { fmt::print("{}", tile_map_text(map)); }
  return options.map.empty() ? Status{} : write_file(options.map, tile_map_json(map));
}

// The cases of a file, one after another in one session; the worst exit status.
int run_cases(const CLI::App& app, const Check& check, const RunWords& options) {
  const auto specs = load_case_list(options.cases);
  ASSAY_TRY_INPUT(app, specs);
  const auto open = complete_opener_of(options.kernel, options.opening);
  ASSAY_TRY_INPUT(app, open);
  auto session = (*open)(options.deadline_seconds);
  ASSAY_TRY_INPUT(app, session);
  int worst = kExitPassed;
  for (const CaseSpec& spec : *specs) {
    const Verdict verdict = run_check(check, **session, spec);
    print_verdict(check, spec, verdict, **session, options);
    const bool nothing_to_say =
        verdict.kind == VerdictKind::kUnsupported || verdict.kind == VerdictKind::kInconclusive;
    if (!nothing_to_say && worst != kExitFailed) {
      worst = std::max(worst, exit_code(verdict.kind));
    }
    if (is_finding(verdict.kind)) { worst = kExitFailed; }
  }
  return worst;
}

Result<std::vector<SequenceStep>> steps_of(const std::vector<std::string>& texts) {
  std::vector<SequenceStep> steps;
  for (const std::string& text : texts) {
    auto some = parse_steps(text, every_name());
    ASSAY_TRY(some);
    steps.insert(steps.end(), some->begin(), some->end());
  }
  return steps;
}

}  // namespace

int run_case(const Words& words) {
  CLI::App app("Runs one case and judges it.", "run");
  RunWords options;
  define(app, options);
  if (const auto exit = parse_words(app, words)) { return *exit; }
  if (options.exact) { options.verify = "exact"; }
  const auto check = check_named(options.check);
  ASSAY_TRY_INPUT(app, check);
  if (options.words.empty() == options.cases.empty()) {
    return refuse_input(app, "give CASE or --cases FILE, one of them");
  }
  if (!options.cases.empty()) { return run_cases(app, **check, options); }
  const auto spec = case_of(options.words);
  ASSAY_TRY_INPUT(app, spec);
  const auto before = steps_of(options.before);
  ASSAY_TRY_INPUT(app, before);
  if (!options.dump.empty()) { ASSAY_TRY_INPUT(app, make_folder(options.dump)); }
  if (!options.map.empty()) { ASSAY_TRY_INPUT(app, can_write_file(options.map)); }
  const auto open = complete_opener_of(options.kernel, options.opening);
  ASSAY_TRY_INPUT(app, open);
  auto session = (*open)(options.deadline_seconds);
  ASSAY_TRY_INPUT(app, session);
  run_steps(**session, *before);
  if (!options.verify.empty() || options.repeats > 0) {
    return run_plainly(**session, *spec, options);
  }

  Verdict verdict;
  const auto reason =
      (*check)->not_applicable ? (*check)->not_applicable((*session)->manifest()) : std::nullopt;
  if (reason) {
    verdict.kind = VerdictKind::kNotApplicable;
    verdict.reason = *reason;
  } else {
    verdict = run_check(**check, **session, *spec);
  }
  print_verdict(**check, *spec, verdict, **session, options);
  if (verdict.kind == VerdictKind::kNotRun) { return exit_code(verdict.kind); }
  ASSAY_TRY_INPUT(app,
                  look_closer(**session, *spec, verdict.kind == VerdictKind::kFailed, options));
  return exit_code(verdict.kind);
}

}  // namespace assay
