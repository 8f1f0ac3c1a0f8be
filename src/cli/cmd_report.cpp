// assay report: one or more runs as HTML, Markdown, JSON, CSV or JUnit XML.
#include <algorithm>

#include <fmt/format.h>

#include "src/bench/gpu_record.h"
#include "src/cli/command.h"
#include "src/core/file.h"
#include "src/record/record_lines.h"
#include "src/report/report.h"
#include "src/report/report_json.h"

namespace assay {
namespace {

struct ReportWords {
  std::vector<std::string> runs;
  std::string html, markdown, json, csv, junit, bench;
};

void define(CLI::App& app, ReportWords& options) {
  app.add_option("RUN", options.runs, "NAME.results.jsonl, or a folder that holds one")->required();
  app.add_option("--html", options.html, "one page that needs no network: a file, or -");
  app.add_option("--markdown", options.markdown, "for a comment on a change: a file, or -");
  app.add_option("--json", options.json,
                 "as `certify --json` writes it, of several runs a list: a file, or -");
  app.add_option("--csv", options.csv, "one line a case: a file, or -");
  app.add_option("--junit", options.junit, "for a CI's list of tests: a file, or -");
  app.add_option("--bench", options.bench, "speeds for the HTML, from `assay bench ... --json`");
}

std::string json_of_runs(const std::vector<ReportedRun>& runs) {
  std::string text;
  for (const ReportedRun& run : runs) {
    text += (text.empty() ? "" : ",\n") + report_json(run.result, run.record.header.environment);
  }
  return runs.size() == 1 ? text : "[" + text + "]\n";
}

Status write(const ReportWords& options, const std::vector<ReportedRun>& runs,
             const std::vector<BenchFigure>& bench, const Registry& names) {
  const auto one = [](const std::string& path, const auto& text) -> Status {
    return path.empty() ? Status{} : write_file(path, text());
  };
  ASSAY_TRY(one(options.html, [&] { return html_report(runs, names, bench); }));
  ASSAY_TRY(one(options.markdown, [&] { return markdown_report(runs); }));
  ASSAY_TRY(one(options.json, [&] { return json_of_runs(runs); }));
  ASSAY_TRY(one(options.csv, [&] { return csv_report(runs, names); }));
  return one(options.junit, [&] { return junit_report(runs); });
}

// Of each product a group of bars.
std::vector<BenchFigure> figures_of(const GpuRecord& record) {
  std::vector<BenchFigure> figures;
  for (const TimedProduct& product : record.products) {
    for (const TimedLine& line : product.lines) {
      if (!line.timed()) { continue; }
      const bool roof = line.kind == ContestantKind::kRoof;
      figures.push_back(
          {.name = (roof ? "roof: " : "") + line.label(),
           .unit = fmt::format("TFLOP/s, {} {}", product.case_name, name(product.pass)),
           .against = line.trouble,
           .value = line.flop_per_second / 1e12});
    }
  }
  return figures;
}

// What `assay bench` has written: of the CPU, or of a GPU.
Result<std::vector<BenchFigure>> load_bench(const std::string& path) {
  if (path.empty()) { return std::vector<BenchFigure>{}; }
  const auto text = read_file(path);
  ASSAY_TRY(text);
  if (text->find("\"assay-bench-gpu/") == std::string::npos) { return parse_bench(*text, path); }
  const auto record = parse_record(*text, path);
  ASSAY_TRY(record);
  return figures_of(*record);
}

}  // namespace

int run_report(const Words& words) {
  CLI::App app("Turns recorded runs into reports. The exit code says whether it could.", "report");
  ReportWords options;
  define(app, options);
  if (const auto exit = parse_words(app, words)) { return *exit; }
  const auto targets = {options.html, options.markdown, options.json, options.csv, options.junit};
  if (std::all_of(targets.begin(), targets.end(), [](const auto& path) { return path.empty(); })) {
    return refuse_input(app,
                        "nothing to write; allowed: --html, --markdown, --json, --csv, --junit");
  }
  const Registry names = every_name();
  std::vector<ReportedRun> runs;
  for (const std::string& path : options.runs) {
    auto record = read_run(path, names);
    ASSAY_TRY_INPUT(app, record);
    auto run = reported_run(std::move(*record), names);
    if (!run) { return refuse_input(app, path + ": " + run.error().message); }
    runs.push_back(std::move(*run));
  }
  const auto bench = load_bench(options.bench);
  ASSAY_TRY_INPUT(app, bench);
  ASSAY_TRY_INPUT(app, write(options, runs, *bench, names));
  for (const ReportedRun& run : runs) { fmt::print(stderr, "{}\n", verdict_sentence(run)); }
  return kExitPassed;
}

}  // namespace assay
