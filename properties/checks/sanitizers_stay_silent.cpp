// compute-sanitizer reports neither invalid accesses nor races, on every pass and tactic.
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "properties/support/case_run.h"
#include "properties/support/sanitizer.h"
#include "src/contract/loader.h"

namespace assay {
namespace {

// Of the drawn case: every pass with every tactic, the others' rows cut short.
std::vector<CaseSpec> subset(const CaseSpec& spec, const Manifest& manifest) {
  std::vector<CaseSpec> cases;
  for (const Pass pass : manifest.passes) {
    CaseSpec other = spec;
    if (other.pass != pass) { use_pass(other, manifest, {pass}); }
    if (!operation(pass).accumulates) { other.acc = 0; }
    other.tactic = "default";
    cases.push_back(other);
    for (const std::string& tactic : manifest.tactics) {
      other.tactic = tactic;
      cases.push_back(other);
    }
  }
  return cases;
}

// The command that runs cases: ASSAY_RUN, else this program.
std::string command() {
  if (const char* const named = std::getenv("ASSAY_RUN")) { return named; }
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  // A case runs in the sanitized process itself, which Python kernels do not; the tools would also
  // report what a framework does with memory of its own.
  if (is_python(kernel.kernel_spec())) {
    return {
        .kind = VerdictKind::kNotApplicable,
        .reason = "a Python kernel runs beside its framework: compute-sanitizer would judge both"};
  }
  const std::string sanitizer = find_sanitizer();
  if (sanitizer.empty()) {
    return {.kind = VerdictKind::kNotRun,
            .reason = "compute-sanitizer is neither on the PATH nor in the CUDA toolkit"};
  }
  const std::vector<CaseSpec> cases = subset(spec, kernel.manifest());
  Verdict verdict{.kind = VerdictKind::kPassed};
  for (const std::string_view tool : kSanitizerTools) {
    const SanitizerRun tried =
        run_sanitizer(sanitizer, tool, command(), kernel.kernel_spec(), cases);
    verdict.runs += static_cast<Index>(cases.size());
    if (!tried.ran) {
      verdict.kind = VerdictKind::kNotRun;
      verdict.reason = fmt::format("{} did not run: {}", tool, tried.report);
      return verdict;
    }
    if (tried.silent) { continue; }
    fail(verdict, Aspect::kSanitizer, fmt::format("{} reports: {}", tool, tried.report));
    return verdict;
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 110, .ci = 1, .peers = 1, .full = 2},
};

}  // namespace

Check sanitizers_stay_silent() {
  return {
      .name = "sanitizers_stay_silent",
      .summary = "compute-sanitizer reports neither invalid accesses nor races.",
      .guards_against =
          "out-of-bounds accesses and hazards without a visible symptom (kinds K, N, O)",
      .advice =
          "A sanitizer reported an access or a race that the results do not show. Its report names "
          "the line; build with -lineinfo.",
      .order = 410,
      .draws = kDraws,
      .not_applicable = needs_a_gpu,
      .prepare = use_plain_execution,
      .run = run};
}

}  // namespace assay
