// assay bench: speeds as ratios, measured in one run.
#include <fmt/format.h>

#include "src/bench/cpu_bench.h"
#include "src/bench/oracle_bench.h"
#include "src/cli/command.h"

namespace assay {

int run_bench(const Words& words) {
  CLI::App app("Measures the oracle, or a CPU kernel against a loop of sgemm.", "bench");
  std::string subject, kernel = "cpu";
  BenchOptions options;
  app.add_option("SUBJECT", subject, "oracle or cpu")->required()->check(one_of({"oracle", "cpu"}));
  app.add_option("--kernel", kernel, "of `bench cpu`: a built-in kernel, run in this process")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "default: one a core")->check(whole_number(1, 1024));
  app.add_option("--repeats", options.repeats, "the fastest counts")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  if (const auto exit = parse_words(app, words)) return *exit;
  std::vector<BenchLine> lines;
  if (subject == "oracle") {
    lines = bench_oracle(options);
  } else {
    auto measured = bench_cpu(kernel, options);
    if (!measured) return refuse_input(app, measured.error().message);
    lines = std::move(*measured);
  }
  for (const BenchLine& line : lines)
    fmt::print("{:<48} {:>8.2f} {:<20} {}\n", line.name, line.value, line.unit, line.against);
  return kExitPassed;
}

}  // namespace assay
