// assay diff: two certificates or runs compared, check by check.
#include <fmt/format.h>

#include "src/certificate/diff.h"
#include "src/cli/command.h"

namespace assay {

int run_diff(const Words& words) {
  CLI::App app("Compares two certificates or runs. Exit 1: something is new, lost or worse.",
               "diff");
  std::string before, after;
  app.add_option("BEFORE", before, "NAME.intoto.jsonl, NAME.results.jsonl, or a run's folder")
      ->required();
  app.add_option("AFTER", after, "the other one")->required();
  if (const auto exit = parse_words(app, words)) { return *exit; }
  const Registry names = every_name();
  const auto a = load_comparable(before, names);
  ASSAY_TRY_INPUT(app, a);
  const auto b = load_comparable(after, names);
  ASSAY_TRY_INPUT(app, b);
  const Difference difference = difference_of(*a, *b);
  fmt::print("{}", difference_text(difference));
  return difference.holds() ? kExitPassed : kExitFailed;
}

}  // namespace assay
