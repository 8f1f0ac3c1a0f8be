// assay verify: checks a certificate against an artifact and a policy, without a GPU.
#include <fmt/format.h>

#include "src/certificate/verify.h"
#include "src/cli/command.h"
#include "src/core/dates.h"
#include "src/core/text.h"

namespace assay {
namespace {

CLI::Validator time_word() {
  const auto check = [](std::string& word) -> std::string {
    if (is_time(word)) { return {}; }
    return quote(word) + " is not a time such as 2026-01-31T12:00:00Z";
  };
  return CLI::Validator(check, "TIME");
}

}  // namespace

int run_verify(const Words& words) {
  CLI::App app("Verifies a certificate; rejects it with the first thing that is wrong.", "verify");
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
  if (const auto exit = parse_words(app, words)) { return *exit; }
  const auto result = verify_certificate(file, options);
  ASSAY_TRY_INPUT(app, result);
  fmt::print("{}", verification_text(file, *result));
  return result->accepted() ? kExitPassed : kExitFailed;
}

}  // namespace assay
