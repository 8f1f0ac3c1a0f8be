// GpuRecord for people: a line a product while the bench runs, and Markdown tables.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "src/bench/gpu_record.h"

namespace assay {
namespace {

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string ratio(const std::optional<double>& value) {
  return value ? fmt::format("{:.3f}", *value) : "-";
}

std::string line_text(const TimedProduct& product, const TimedLine& line) {
  if (!line.timed()) { return fmt::format("{}: {}", line.label(), line.trouble); }
  std::string text = fmt::format("{} {:.4f} ms", line.label(), 1e3 * line.seconds);
  if (line.kind == ContestantKind::kKernel) {
    text += product.memory_bound ? fmt::format(" ({:.3f} x floor", line.over_floor)
                                 : fmt::format(" ({} of roof", ratio(line.of_roof));
    if (line.over_baseline) {
      text += fmt::format(", {:.2f} x {}", *line.over_baseline, product.best_baseline);
    }
    text += ")";
  }
  return line.wrong ? text + " WRONG: " + line.trouble : text;
}

void print_product(std::string& text, const TimedProduct& product) {
  for (const TimedLine& line : product.lines) {
    auto out = std::back_inserter(text);
    fmt::format_to(out, "| {} | {} | {} | ", product.case_name, name(product.pass), line.label());
    if (!line.timed()) {
      fmt::format_to(out, "- | - | - | - | - | - | {} |\n", line.trouble);
      continue;
    }
    fmt::format_to(out, "{:.4f} | {} | {:.0f} | {} | {} | {:.3f} | {} |\n", 1e3 * line.seconds,
                   percent(line.spread), 1e-12 * line.flop_per_second, ratio(line.of_roof),
                   line.kind == ContestantKind::kKernel ? ratio(line.over_baseline) : "-",
                   line.over_floor, line.wrong ? line.trouble : "right");
  }
}

void print_choices(std::string& text, const std::vector<TacticChoice>& choices) {
  if (choices.empty()) { return; }
  text +=
      "\nTactics on the rows of a case and on equal rows of the same total. Cost: of the winner on "
      "equal rows, and of `default`, over the winner here.\n\n"
      "| case | pass | kernel | winner | winner on equal rows | differs | its cost here | cost of "
      "default |\n|---|---|---|---|---|---|---|---|\n";
  for (const TacticChoice& choice : choices) {
    fmt::format_to(std::back_inserter(text), "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
                   choice.case_name, name(choice.pass), choice.kernel, choice.here, choice.uniform,
                   choice.here == choice.uniform ? "no" : "yes", percent(choice.cost),
                   percent(choice.default_cost));
  }
}

}  // namespace

std::string product_line(const TimedProduct& product) {
  std::string text = fmt::format("{:<16} {:<5}", product.case_name, name(product.pass));
  for (const TimedLine& line : product.lines) { text += "  " + line_text(product, line); }
  return text + "\n";
}

std::string record_markdown(const GpuRecord& record) {
  std::string text = fmt::format(
      "{}, driver for CUDA {}, runtime {}, cuBLAS {}; {} operands, weights {}; device copy {:.2f} "
      "TB/s, events around nothing {:.1f} us\n\n",
      record.gpu, record.driver, record.runtime, record.cublas.empty() ? "none" : record.cublas,
      record.in, record.weights, 1e-12 * record.copy_bytes_per_second, 1e6 * record.bare_seconds);
  text +=
      "| case | k | n | experts | rows | largest | empty | GFLOP "
      "|\n|---|---|---|---|---|---|---|---|\n";
  const TimedProduct* last = nullptr;
  for (const TimedProduct& p : record.products) {
    if (last == nullptr || last->case_name != p.case_name) {
      fmt::format_to(std::back_inserter(text), "| {} | {} | {} | {} | {} | {} | {} | {:.4g} |\n",
                     p.case_name, p.k, p.n, p.experts, p.rows, p.largest, p.empty, 1e-9 * p.flop);
    }
    last = &p;
  }
  text +=
      "\nRatios are medians of ratios inside a round. Of roof: the dense product's time over this "
      "one's. Over baseline: the fastest baseline's time over this one's. Over floor: time over "
      "the bytes that must move at the speed of a copy.\n\n"
      "| case | pass | kernel | ms | spread | TFLOP/s | of roof | over baseline | over floor | "
      "answer |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const TimedProduct& product : record.products) { print_product(text, product); }
  print_choices(text, tactic_choices(record));
  return text;
}

}  // namespace assay
