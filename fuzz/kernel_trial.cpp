#include "fuzz/kernel_trial.h"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "fuzz/case_features.h"
#include "fuzz/crash_line.h"
#include "properties/support/case_run.h"
#include "src/problem/case_text.h"

namespace assay {

KernelTrial::KernelTrial(std::unique_ptr<Session> session)
    : session_(std::move(session)), space_(space_of(session_->manifest())) {}

Result<std::unique_ptr<KernelTrial>> KernelTrial::open(const std::string& kernel) {
  Result<std::unique_ptr<Session>> session = open_in_process_session(kernel);
  if (!session) return tl::unexpected<Error>(session.error());
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

Verdict KernelTrial::run(const CaseSpec& spec) {
  remember_line(short_text(spec), kernel());
  mark_case_features(spec, session_->manifest());
  const Verdict verdict = judge_case_whole(*session_, spec);
  mark_verdict_features(spec, verdict);
  return verdict;
}

bool is_failure(const Verdict& verdict) {
  return verdict.kind == VerdictKind::kFailed || verdict.kind == VerdictKind::kCrashed ||
         verdict.kind == VerdictKind::kHung;
}

std::string failure_text(const CaseSpec& spec, const Verdict& verdict, const std::string& kernel) {
  const std::string line = short_text(spec);
  std::string text = fmt::format("{}: {}\ncase: {}\n", name(verdict.kind), verdict.reason, line);
  if (verdict.worst) {
    const Entry& worst = *verdict.worst;
    text += fmt::format(
        "worst: expert {} row {} col {}: exact {} ({:a}, {:#x}), got {} ({:a}, {:#x}), "
        "bound {} ({:a})\n",
        worst.expert, worst.row, worst.col, worst.exact, worst.exact, worst.exact_bits, worst.got,
        worst.got, worst.got_bits, worst.bound, worst.bound);
  }
  return text + fmt::format("replay: ./run assay run '{}' --kernel {}\n", line, kernel);
}

}  // namespace assay
