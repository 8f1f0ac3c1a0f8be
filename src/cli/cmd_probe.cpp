// assay probe: what a kernel really does, as a table and as a manifest to paste.
#include <fmt/format.h>

#include "src/cli/command.h"
#include "src/cli/kernel_options.h"
#include "src/core/file.h"
#include "src/core/text.h"
#include "src/probe/probe.h"

namespace assay {

int run_probe(const Words& words) {
  CLI::App app("Finds out by experiments what a kernel takes, asks, leaves and how it adds up.",
               "probe");
  std::string kernel, manifest;
  double deadline_seconds = 5;
  Opening opening;
  app.add_option("KERNEL", kernel, "a built-in kernel or a path")->required();
  app.add_option("--manifest", manifest, "the manifest alone, as JSON: a file, or - for stdout");
  app.add_option("--deadline", deadline_seconds, "seconds that one call may take")
      ->check(positive_seconds())
      ->capture_default_str();
  add_load_seconds(app, opening);
  if (const auto exit = parse_words(app, words)) { return *exit; }
  if (!manifest.empty()) { ASSAY_TRY_INPUT(app, can_write_file(manifest)); }
  auto session = opener_of(kernel, opening)(deadline_seconds);
  ASSAY_TRY_INPUT(app, session);
  const ProbeReport report = probe(**session);
  const std::string json = manifest_json(report.probed);
  std::FILE* const table = manifest == "-" ? stderr : stdout;
  fmt::print(table, "{}", probe_table(report));
  if (manifest.empty() && report.found) { fmt::print("\n{}", json); }
  if (!manifest.empty() && report.found) { ASSAY_TRY_INPUT(app, write_file(manifest, json)); }
  fmt::print(table, "\n{} in {:.1f} s, {} kernel runs\n", name_text(kernel), report.seconds,
             report.runs);
  if (!report.found) { return kExitIncomplete; }
  return report.disagreements.empty() ? kExitPassed : kExitFailed;
}

}  // namespace assay
