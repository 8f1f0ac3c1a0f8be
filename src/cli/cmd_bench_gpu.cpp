#include "src/cli/cmd_bench_gpu.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "src/core/file.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr Index kLargestSize = Index{1} << 20;
constexpr std::uint64_t kRowsSeed = 0;  // of generators in --rows

// The file's cases, or those of them that are named.
Result<std::vector<BenchCase>> listed_cases(const BenchGpuWords& words) {
  auto listed = read_bench_cases(words.cases.empty() ? bench_cases_path() : words.cases);
  if (!listed || words.names.empty()) { return listed; }
  std::vector<BenchCase> wanted;
  for (const std::string& name : words.names) {
    const auto found = std::find_if(listed->begin(), listed->end(),
                                    [&](const BenchCase& c) { return c.name == name; });
    if (found == listed->end()) {
      std::string allowed;
      for (const BenchCase& c : *listed) { allowed += (allowed.empty() ? "" : ", ") + c.name; }
      return make_error(fmt::format("--case {} is none of {}", quote(name), allowed));
    }
    wanted.push_back(*found);
  }
  return wanted;
}

Result<BenchCase> routed_case(const BenchGpuWords& words, const std::string& text) {
  auto rows = parse_rows(text, kRowsSeed);
  if (!rows) { return make_error(fmt::format("--rows {}: {}", quote(text), rows.error().message)); }
  BenchCase routed{text, words.k, words.n, std::move(*rows)};
  if (routed.total() == 0) { return make_error(fmt::format("--rows {} has no rows", quote(text))); }
  return routed;
}

Result<std::vector<BenchCase>> cases_of(const BenchGpuWords& words) {
  std::vector<BenchCase> cases;
  if (words.rows.empty() || !words.cases.empty() || !words.names.empty()) {
    auto listed = listed_cases(words);
    if (!listed) { return listed; }
    cases = std::move(*listed);
  }
  for (const std::string& text : words.rows) {
    auto routed = routed_case(words, text);
    ASSAY_TRY(routed);
    cases.push_back(std::move(*routed));
  }
  if (words.tactic != "all") { return cases; }
  // Every tactic on equal rows too: whether the winner depends on the routing.
  std::vector<BenchCase> paired;
  for (BenchCase& c : cases) {
    BenchCase partner = uniform_partner(c);
    const bool differs = partner.rows != c.rows;
    paired.push_back(std::move(c));
    if (differs) { paired.push_back(std::move(partner)); }
  }
  return paired;
}

std::vector<Pass> passes_of(const BenchGpuWords& words) {
  std::vector<Pass> passes;
  for (const Pass pass : kAllPasses) {
    const auto& wanted = words.passes;
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name(pass)) != wanted.end()) {
      passes.push_back(pass);
    }
  }
  return passes;
}

GpuBenchOptions bench_options(const BenchGpuWords& words) {
  GpuBenchOptions options = words.bench;
  options.all_tactics = words.tactic == "all";
  options.baselines = !words.roof_only;
  options.in = words.in == "fp16" ? Format::kFp16 : Format::kBf16;
  options.weights = words.weights == "ekn" ? WeightsLayout::kEkn : WeightsLayout::kEnk;
  if (options.kernels.empty()) { options.kernels = {"sm90"}; }
  return options;
}

// A kernel's wrong answer fails the run; one that was not timed leaves it incomplete.
int exit_of(const GpuRecord& record) {
  int exit = kExitPassed;
  for (const TimedProduct& product : record.products) {
    for (const TimedLine& line : product.lines) {
      if (line.wrong) { return kExitFailed; }
      if (line.kind == ContestantKind::kKernel && !line.timed()) { exit = kExitIncomplete; }
    }
  }
  return exit;
}

void print_choices(std::FILE* log, const GpuRecord& record) {
  for (const TacticChoice& choice : tactic_choices(record)) {
    const std::string line = fmt::format("{} {} {}: {} wins", choice.case_name, name(choice.pass),
                                         choice.kernel, choice.here);
    if (choice.here == choice.uniform) {
      fmt::print(log, "{}, as on equal rows; default costs {:.1f} %\n", line,
                 100 * choice.default_cost);
    } else {
      fmt::print(log, "{}, {} on equal rows, which costs {:.1f} % here; default costs {:.1f} %\n",
                 line, choice.uniform, 100 * choice.cost, 100 * choice.default_cost);
    }
  }
}

int print_comparison(std::FILE* log, const Comparison& comparison) {
  for (const Worse& worse : comparison.worse) {
    fmt::print(log, "worse: {}: {:.3f}, was {:.3f}\n", worse.what, worse.now, worse.before);
  }
  fmt::print(log, "{} of {} ratios are more than 3 % worse than the stored run's\n",
             comparison.worse.size(), comparison.compared);
  return comparison.worse.empty() ? kExitPassed : kExitFailed;
}

Status write_all(const BenchGpuWords& words, const GpuRecord& record) {
  Status status;
  if (!words.json.empty()) { status = write_file(words.json, record_json(record)); }
  if (status && !words.markdown.empty()) {
    status = write_file(words.markdown, record_markdown(record));
  }
  return status;
}

// Everything that can be refused before the GPU is opened.
struct Prepared {
  std::vector<BenchCase> cases;
  std::optional<GpuRecord> stored;
};
Result<Prepared> prepare(const BenchGpuWords& words) {
  Prepared prepared;
  auto cases = cases_of(words);
  ASSAY_TRY(cases);
  prepared.cases = std::move(*cases);
  if (!words.against.empty()) {
    const auto text = read_file(words.against);
    ASSAY_TRY(text);
    auto stored = parse_record(*text, words.against);
    ASSAY_TRY(stored);
    prepared.stored = std::move(*stored);
  }
  for (const std::string& path : {words.json, words.markdown}) {
    if (path.empty()) { continue; }
    ASSAY_TRY(can_write_file(path));
  }
  return prepared;
}

// False after an error of the device, whose state is unknown from then on. The record is written
// product by product: a run that is cut short leaves what it has.
bool measure_all(GpuBench& bench, const std::vector<BenchCase>& cases, const BenchGpuWords& words,
                 std::FILE* log, GpuRecord& record) {
  for (const BenchCase& shape : cases) {
    for (const Pass pass : passes_of(words)) {
      auto product = bench.measure(shape, pass);
      if (!product) {
        fmt::print(stderr, "assay bench gpu: {} {}: {}\n", shape.name, name(pass),
                   one_line(product.error().message, kSentenceLength));
        return false;
      }
      fmt::print(log, "{}", product_line(*product));
      std::fflush(log);
      record.products.push_back(std::move(*product));
      if (log == stdout) {
        (void)write_all(words, record);  // the last one tells of an error
      }
    }
  }
  return true;
}

}  // namespace

void define_bench_gpu(CLI::App& app, BenchGpuWords& words) {
  const auto many = [&](const char* option, std::vector<std::string>& into, const char* help) {
    return app.add_option(option, into, help)->allow_extra_args(false);
  };
  many("--kernel", words.bench.kernels, "a built-in kernel or a path; default: sm90");
  app.add_option("--cases", words.cases, "lines name,k,n,rows; default: corpus/bench/cases.csv");
  many("--case", words.names, "one of those cases; default: all");
  many("--rows", words.rows, "a routing as a case has it: recorded(moe64_top2_noaux,396,3)");
  app.add_option("--k", words.k, "with --rows")->check(whole_number(1, kLargestSize));
  app.add_option("--n", words.n, "with --rows")->check(whole_number(1, kLargestSize));
  many("--pass", words.passes, "default: all three")->check(one_of({"fwd", "dgrad", "wgrad"}));
  app.add_option("--tactic", words.tactic, "all: also on equal rows of the same total")
      ->check(one_of({"default", "all"}));
  app.add_option("--in", words.in, "format of all operands")->check(one_of({"bf16", "fp16"}));
  app.add_option("--weights", words.weights, "layout of w")->check(one_of({"enk", "ekn"}));
  app.add_flag("--roof-only", words.roof_only, "no baselines but the dense product");
  app.add_option("--rounds", words.bench.rounds, "timings of each contestant, at most")
      ->check(whole_number(1, 100'000))
      ->capture_default_str();
  app.add_option("--seconds", words.bench.seconds, "of timing one product, after five rounds")
      ->check(positive_seconds())
      ->capture_default_str();
  app.add_option("--against", words.against, "a stored --json: fails on a ratio 3 % worse");
  app.add_option("--json", words.json, "the record: a file, or -");
  app.add_option("--markdown", words.markdown, "tables: a file, or -");
}

int bench_gpu(const CLI::App& app, const BenchGpuWords& words) {
  const auto prepared = prepare(words);
  ASSAY_TRY_INPUT(app, prepared);
  const auto bench = open_gpu_bench(bench_options(words));
  ASSAY_TRY_INPUT(app, bench);
  std::FILE* const log = words.json == "-" || words.markdown == "-" ? stderr : stdout;
  GpuRecord record = (*bench)->machine();
  const bool whole = measure_all(**bench, prepared->cases, words, log, record);
  print_choices(log, record);
  ASSAY_TRY_INPUT(app, write_all(words, record));
  const int exit = whole ? exit_of(record) : static_cast<int>(kExitIncomplete);
  if (!prepared->stored) { return exit; }
  const auto comparison = compare_records(record, *prepared->stored);
  ASSAY_TRY_INPUT(app, comparison);
  return print_comparison(log, *comparison) == kExitPassed ? exit : kExitFailed;
}

}  // namespace assay
