// assay shrink: the smallest case on which the same check still fails in the same way.
#include <fmt/format.h>

#include "properties/support/run_check.h"
#include "src/campaign/certify.h"
#include "src/cli/command.h"
#include "src/cli/kernel_options.h"
#include "src/problem/case_text.h"

namespace assay {

int run_shrink(const Words& words) {
  CLI::App app("Shrinks a failing case; the smallest one goes to stdout.", "shrink");
  std::vector<std::string> text;
  std::string kernel, check_name;
  ShrinkLimits limits{.max_tries = 2000, .max_seconds = 60};
  double deadline_seconds = 30;
  Opening opening;
  app.add_option("CASE", text, "the failing case, one word or several")->required();
  app.add_option("--kernel", kernel, "a built-in kernel or a path")->required();
  app.add_option("--check", check_name, "default: status, memory and every owned element");
  app.add_option("--max-tries", limits.max_tries, "cases tried at most")
      ->check(whole_number(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--budget", limits.max_seconds, "seconds spent at most")
      ->check(positive_seconds())
      ->capture_default_str();
  app.add_option("--deadline", deadline_seconds, "seconds that one call may take")
      ->check(positive_seconds());
  add_load_seconds(app, opening);
  if (const auto exit = parse_words(app, words)) { return *exit; }
  const auto spec = case_of(text);
  ASSAY_TRY_INPUT(app, spec);
  const auto check = check_named(check_name);
  ASSAY_TRY_INPUT(app, check);
  const auto open = complete_opener_of(kernel, opening);
  ASSAY_TRY_INPUT(app, open);
  auto session = (*open)(deadline_seconds);
  ASSAY_TRY_INPUT(app, session);

  const Verdict first = run_check(**check, **session, *spec);
  if (!is_finding(first.kind)) {
    return refuse_input(
        app, fmt::format("nothing to shrink: {} ends with {} on this case{}", (*check)->name,
                         name(first.kind), first.reason.empty() ? "" : ": " + first.reason));
  }
  SameFailure same(**session, **check, first);
  const Shrunk shrunk = shrink_case(
      *spec, [&](const CaseSpec& candidate) { return same(candidate); }, limits);
  fmt::print(stderr, "{} after {} tries and {} moves{}\n", name(first.kind), shrunk.tries,
             shrunk.moves, shrunk.finished ? "" : "; a limit was met, it may shrink further");
  fmt::print("{}\n", short_text(shrunk.spec));
  return kExitPassed;
}

}  // namespace assay
