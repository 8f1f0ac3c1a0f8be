#include "src/certify/certify.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "src/problem/case_text.h"

namespace assay {
namespace {

Finding as_met(const std::string& kernel, const Failure& failure) {
  return {.check = failure.check,
          .original = failure.spec,
          .shrunk = failure.spec,
          .verdict = failure.verdict,
          .replay = replay_command(kernel, failure.spec, failure.check->name)};
}

// A hang seen under the short deadline of shrinking counts only if the full one sees it too.
bool confirmed(const OpenSession& open, const CertifyOptions& options, const Check& check,
               const CaseSpec& spec) {
  auto session = open(options.run.deadline_seconds);
  return session && check.run(**session, spec).kind == VerdictKind::kHung;
}

void shrink_finding(Finding& finding, Session& session, const OpenSession& open,
                    const CertifyOptions& options) {
  SameFailure same(session, *finding.check, finding.verdict.kind);
  const Shrunk shrunk = shrink_case(
      finding.original, [&](const CaseSpec& spec) { return same(spec); }, options.shrink);
  finding.shrink_tries = shrunk.tries;
  if (shrunk.moves == 0) return;
  if (finding.verdict.kind == VerdictKind::kHung &&
      !confirmed(open, options, *finding.check, shrunk.spec))
    return;
  finding.shrunk = shrunk.spec;
  finding.verdict = same.verdict();
}

}  // namespace

std::string replay_command(const std::string& kernel, const CaseSpec& spec,
                           std::string_view check) {
  const char* command = std::getenv("ASSAY_COMMAND");  // how the user started this program
  return fmt::format("{} run '{}' --kernel {} --check {}", command != nullptr ? command : "assay",
                     short_text(spec), kernel, check);
}

Finding explain(const std::string& kernel, const Failure& failure, const OpenSession& open,
                const CertifyOptions& options) {
  Finding finding = as_met(kernel, failure);
  const bool hung = failure.verdict.kind == VerdictKind::kHung;
  auto session = open(hung ? options.hung_shrink_deadline_seconds : options.run.deadline_seconds);
  if (!session) return finding;
  shrink_finding(finding, **session, open, options);
  finding.replay = replay_command(kernel, finding.shrunk, finding.check->name);
  if (!hung) finding.diagnosis = diagnose(**session, {finding.shrunk, finding.original});
  // Of a crash the signal and the address say more than a kernel that was right elsewhere.
  const bool crashed = failure.verdict.kind == VerdictKind::kCrashed;
  if (crashed && finding.diagnosis.hypothesis.empty()) finding.diagnosis = {};
  return finding;
}

Result<Certification> certify(const std::string& kernel, const Profile& profile,
                              const BatteryNames& names, const OpenSession& open,
                              const CertifyOptions& options) {
  auto run = run_profile(profile, names, open, options.run);
  if (!run) return tl::unexpected(run.error());
  Certification result{.kernel = kernel,
                       .profile = profile.name,
                       .profile_certifies = profile.certifies(run->manifest.device),
                       .run = std::move(*run)};
  const std::vector<Failure>& failures = result.run.failures;
  result.findings.resize(failures.size());
  const auto interrupted = [&] { return options.run.stop && options.run.stop->load(); };
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> threads;
  const std::size_t count = std::min(failures.size(), static_cast<std::size_t>(result.run.threads));
  for (std::size_t thread = 0; thread < count; ++thread)
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < failures.size(); i = next++)
        result.findings[i] = options.explain && !interrupted()
                                 ? explain(kernel, failures[i], open, options)
                                 : as_met(kernel, failures[i]);
    });
  threads.clear();
  return result;
}

}  // namespace assay
