// assay bench: speeds as ratios, measured in one run.
#include <fmt/format.h>

#include "src/bench/cpu_bench.h"
#include "src/bench/oracle_bench.h"
#include "src/cli/cmd_bench_gpu.h"
#include "src/cli/command.h"

namespace assay {
namespace {

void define(CLI::App& app, BenchOptions& options) {
  app.add_option("--threads", options.threads, "default: one a core")->check(whole_number(1, 1024));
  app.add_option("--repeats", options.repeats, "the fastest counts")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
}

int print(const std::vector<BenchLine>& lines) {
  for (const BenchLine& line : lines)
    fmt::print("{:<48} {:>8.2f} {:<20} {}\n", line.name, line.value, line.unit, line.against);
  return kExitPassed;
}

}  // namespace

int run_bench(const Words& words) {
  CLI::App app("Measures the oracle, a CPU kernel against a loop of sgemm, or GPU kernels.",
               "bench");
  BenchOptions options;
  std::string kernel = "cpu";
  BenchGpuWords gpu_words;
  CLI::App* oracle = app.add_subcommand("oracle", "the oracle against BLAS");
  define(*oracle, options);
  CLI::App* cpu = app.add_subcommand("cpu", "a built-in CPU kernel, run in this process");
  define(*cpu, options);
  cpu->add_option("--kernel", kernel)->capture_default_str();
  CLI::App* gpu = app.add_subcommand("gpu", "GPU kernels beside cuBLAS, run in this process");
  define_bench_gpu(*gpu, gpu_words);
  app.require_subcommand(1);
  if (const auto exit = parse_words(app, words)) return *exit;
  if (gpu->parsed()) return bench_gpu(app, gpu_words);
  if (oracle->parsed()) return print(bench_oracle(options));
  const auto measured = bench_cpu(kernel, options);
  return measured ? print(*measured) : refuse_input(app, measured.error().message);
}

}  // namespace assay
