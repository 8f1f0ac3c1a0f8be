// assay bench: speeds as ratios, measured in one run.
#include <fmt/format.h>

#include "src/bench/cpu_bench.h"
#include "src/bench/oracle_bench.h"
#include "src/bench/worker_bench.h"
#include "src/cli/cmd_bench_gpu.h"
#include "src/cli/command.h"
#include "src/core/file.h"
#include "src/core/json_object.h"
#include "src/core/json_text.h"

namespace assay {
namespace {

struct HostWords {
  BenchOptions bench;
  std::string kernel = "cpu", json;
};

void define(CLI::App& app, HostWords& words) {
  app.add_option("--threads", words.bench.threads, "default: one a core")
      ->check(whole_number(1, 1024));
  app.add_option("--repeats", words.bench.repeats, "the fastest counts")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  app.add_option("--json", words.json, "the figures for `assay report --bench`: a file, or -");
}

std::string json_of(const std::vector<BenchLine>& lines) {
  Json json{{"bench", Json::array()}};
  for (const BenchLine& line : lines) {
    json["bench"].push_back({{"name", line.name},
                             {"value", line.value},
                             {"unit", line.unit},
                             {"against", line.against}});
  }
  return json_text(json, 2) + "\n";
}

int print(const CLI::App& app, const HostWords& words, const std::vector<BenchLine>& lines) {
  std::FILE* out = words.json == "-" ? stderr : stdout;
  for (const BenchLine& line : lines) {
    fmt::print(out, "{:<48} {:>8.2f} {:<20} {}\n", line.name, line.value, line.unit, line.against);
  }
  const Status status = words.json.empty() ? Status{} : write_file(words.json, json_of(lines));
  return status ? kExitPassed : refuse_input(app, status.error().message);
}

}  // namespace

int run_bench(const Words& words) {
  CLI::App app("Measures the oracle, a CPU kernel against a loop of sgemm, or GPU kernels.",
               "bench");
  HostWords host;
  BenchGpuWords gpu_words;
  CLI::App* oracle = app.add_subcommand("oracle", "the oracle against BLAS");
  define(*oracle, host);
  CLI::App* cpu = app.add_subcommand("cpu", "a built-in CPU kernel, run in this process");
  define(*cpu, host);
  cpu->add_option("--kernel", host.kernel)->capture_default_str();
  CLI::App* worker = app.add_subcommand("worker", "what a worker process adds to a small case");
  define(*worker, host);
  worker->add_option("--kernel", host.kernel)->capture_default_str();
  CLI::App* gpu = app.add_subcommand("gpu", "GPU kernels beside cuBLAS, run in this process");
  define_bench_gpu(*gpu, gpu_words);
  app.require_subcommand(1);
  if (const auto exit = parse_words(app, words)) { return *exit; }
  if (gpu->parsed()) { return bench_gpu(app, gpu_words); }
  if (!host.json.empty()) { ASSAY_TRY_INPUT(app, can_write_file(host.json)); }
  if (oracle->parsed()) { return print(app, host, bench_oracle(host.bench)); }
  const auto measured =
      worker->parsed() ? bench_worker(host.kernel, host.bench) : bench_cpu(host.kernel, host.bench);
  return measured ? print(app, host, *measured) : refuse_input(app, measured.error().message);
}

}  // namespace assay
