#include "src/bench/gpu_record.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "src/bench/sample_statistics.h"

namespace assay {
namespace {

constexpr double kAllowedShare = 0.97;  // of what a stored run reached

const Contest* fastest(const std::vector<Contest>& contests, ContestantKind kind) {
  const Contest* best = nullptr;
  double best_seconds = 0;
  for (const Contest& contest : contests) {
    if (contest.kind != kind || contest.seconds.empty() || contest.wrong) { continue; }
    const double seconds = median(contest.seconds);
    if (best == nullptr || seconds < best_seconds) {
      best = &contest;
      best_seconds = seconds;
    }
  }
  return best;
}

TimedLine line_of(const Contest& contest, const TimedProduct& product, const Contest* roof,
                  const Contest* baseline) {
  TimedLine line;
  line.name = contest.name;
  line.tactic = contest.tactic;
  line.kind = contest.kind;
  line.trouble = contest.trouble;
  line.wrong = contest.wrong;
  line.rounds = static_cast<int>(contest.seconds.size());
  if (!line.timed()) { return line; }
  line.seconds = median(contest.seconds);
  line.spread = spread(contest.seconds);
  line.flop_per_second = product.flop / line.seconds;
  line.over_floor = line.seconds / product.floor_seconds;
  if (roof != nullptr) { line.of_roof = median_ratio(roof->seconds, contest.seconds); }
  if (baseline != nullptr) {
    line.over_baseline = median_ratio(baseline->seconds, contest.seconds);
  }
  return line;
}

std::string place(const TimedProduct& product, const TimedLine& line) {
  return fmt::format("{} {} {}", product.case_name, name(product.pass), line.label());
}

using Key = std::tuple<std::string, Pass, std::string, std::string>;
Key key_of(const TimedProduct& product, const TimedLine& line) {
  return {product.case_name, product.pass, line.name, line.tactic};
}

const TimedProduct* find_product(const GpuRecord& record, const std::string& case_name, Pass pass) {
  const auto found = std::find_if(
      record.products.begin(), record.products.end(),
      [&](const TimedProduct& p) { return p.case_name == case_name && p.pass == pass; });
  return found == record.products.end() ? nullptr : &*found;
}

bool is_tactic_of(const TimedLine& line, const std::string& kernel) {
  return line.kind == ContestantKind::kKernel && line.name == kernel && line.timed() && !line.wrong;
}

const TimedLine* find_tactic(const TimedProduct& product, const std::string& kernel,
                             const std::string& tactic) {
  for (const TimedLine& line : product.lines) {
    if (is_tactic_of(line, kernel) && line.tactic == tactic) { return &line; }
  }
  return nullptr;
}

// The fastest named tactic, where there are two at least.
const TimedLine* winner(const TimedProduct& product, const std::string& kernel) {
  const TimedLine* best = nullptr;
  int tactics = 0;
  for (const TimedLine& line : product.lines) {
    if (!is_tactic_of(line, kernel) || line.tactic == "default") { continue; }
    ++tactics;
    if (best == nullptr || line.seconds < best->seconds) { best = &line; }
  }
  return tactics < 2 ? nullptr : best;
}

double cost_of(const TimedLine* line, const TimedLine& best) {
  return line == nullptr ? 0 : line->seconds / best.seconds - 1;
}

}  // namespace

std::string_view name(ContestantKind kind) {
  switch (kind) {
    case ContestantKind::kRoof:
      return "roof";
    case ContestantKind::kBaseline:
      return "baseline";
    case ContestantKind::kKernel:
      break;
  }
  return "kernel";
}

std::optional<double> TimedProduct::share(const TimedLine& line) const {
  if (!line.timed() || line.wrong) { return std::nullopt; }
  return memory_bound ? std::optional(1 / line.over_floor) : line.of_roof;
}

TimedProduct summarise(const BenchCase& shape, Pass pass, double floor_seconds,
                       const std::vector<Contest>& contests) {
  TimedProduct product;
  product.case_name = shape.name;
  product.pass = pass;
  product.k = shape.k;
  product.n = shape.n;
  product.experts = shape.experts();
  product.rows = shape.total();
  product.largest = shape.largest();
  product.empty = shape.empty();
  product.flop = shape.useful_flop();
  product.floor_seconds = floor_seconds;
  const Contest* roof = fastest(contests, ContestantKind::kRoof);
  const Contest* baseline = fastest(contests, ContestantKind::kBaseline);
  product.memory_bound = roof != nullptr && median(roof->seconds) < floor_seconds;
  if (baseline != nullptr) { product.best_baseline = baseline->name; }
  for (const Contest& contest : contests) {
    product.lines.push_back(line_of(contest, product, roof, baseline));
  }
  return product;
}

std::vector<TacticChoice> tactic_choices(const GpuRecord& record) {
  std::vector<TacticChoice> choices;
  for (const TimedProduct& product : record.products) {
    const TimedProduct* partner =
        find_product(record, uniform_name(product.case_name), product.pass);
    if (partner == nullptr) { continue; }
    std::set<std::string> kernels;
    for (const TimedLine& line : product.lines) {
      if (line.kind == ContestantKind::kKernel) { kernels.insert(line.name); }
    }
    for (const std::string& kernel : kernels) {
      const TimedLine* here = winner(product, kernel);
      const TimedLine* there = winner(*partner, kernel);
      if (here == nullptr || there == nullptr) { continue; }
      choices.push_back({product.case_name, kernel, product.pass, here->tactic, there->tactic,
                         cost_of(find_tactic(product, kernel, there->tactic), *here),
                         cost_of(find_tactic(product, kernel, "default"), *here)});
    }
  }
  return choices;
}

Result<Comparison> compare_records(const GpuRecord& now, const GpuRecord& before) {
  if (now.gpu != before.gpu || now.in != before.in || now.weights != before.weights) {
    return make_error(fmt::format(
        "the stored run is of '{}', {}, {}, this one of '{}', {}, {}: their ratios do not compare",
        before.gpu, before.in, before.weights, now.gpu, now.in, now.weights));
  }
  std::map<Key, double> shares;
  for (const TimedProduct& product : before.products) {
    for (const TimedLine& line : product.lines) {
      if (line.kind == ContestantKind::kKernel && product.share(line)) {
        shares[key_of(product, line)] = *product.share(line);
      }
    }
  }
  Comparison comparison;
  for (const TimedProduct& product : now.products) {
    for (const TimedLine& line : product.lines) {
      const auto stored = shares.find(key_of(product, line));
      if (line.kind != ContestantKind::kKernel || stored == shares.end()) { continue; }
      ++comparison.compared;
      const double share = product.share(line).value_or(0);
      if (share >= kAllowedShare * stored->second) { continue; }
      comparison.worse.push_back({place(product, line), stored->second, share});
    }
  }
  if (comparison.compared == 0) {
    return make_error("the stored run has no kernel, case and pass in common with this one");
  }
  return comparison;
}

}  // namespace assay
