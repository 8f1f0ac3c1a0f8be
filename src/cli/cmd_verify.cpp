// assay verify: whether a certificate holds, for an artifact and a policy, without a GPU.
#include <fmt/format.h>

#include "src/certify/certificate/verify.h"
#include "src/cli/command.h"

namespace assay {
namespace {

CLI::Validator time_word() {
  const auto check = [](std::string& word) -> std::string {
    if (is_time(word)) return {};
    return fmt::format("'{}' is no time such as 2026-01-31T12:00:00Z", word);
  };
  return CLI::Validator(check, "TIME");
}

std::string accepted_text(const Certificate& certificate) {
  return fmt::format(
      "accepted: {} ({}) passed {} on {}, {} cases, {} checks{}\n", certificate.kernel_name,
      certificate.device, certificate.profile_name, certificate.finished_at,
      certificate.domain.total(), certificate.checks.size(),
      certificate.environment.gpu.empty() ? "" : ", on " + certificate.environment.gpu);
}

}  // namespace

int run_verify(const Words& words) {
  CLI::App app("Says whether a certificate holds, or the first thing that is wrong.", "verify");
  std::string file;
  VerifyOptions options{.at = utc_now()};
  app.add_option("FILE", file, "NAME.intoto.jsonl, as `assay certify --out` writes it")->required();
  app.add_option("--artifact", options.artifact, "the certified file, compared by its digest");
  app.add_option("--depends", options.depends, "other files whose code it has to rest on");
  app.add_option("--key", options.key, "public key (PEM, Ed25519) that must have signed");
  app.add_option("--policy", options.policy, "demands, JSON: `assay help certificate`");
  app.add_option("--profile", options.profile, "the profile's file; default: by its name");
  app.add_option("--at", options.at, "the time by which ages and dates are judged")
      ->check(time_word());
  if (const auto exit = parse_words(app, words)) return *exit;
  const auto result = verify_certificate(file, options);
  if (!result) return refuse_input(app, result.error().message);
  if (!result->accepted()) {
    fmt::print("rejected: {}: {}\n", file, result->wrong);
    return kExitFailed;
  }
  fmt::print("{}", accepted_text(result->certificate));
  for (const std::string& note : result->notes) fmt::print("  {}\n", note);
  return kExitPassed;
}

}  // namespace assay
