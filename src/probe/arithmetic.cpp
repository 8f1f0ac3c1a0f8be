// How a kernel adds up: what its sums show, said in the manifest's terms, and confirmed on real
// values bit for bit where the model can.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "oracle/error_bound.h"
#include "src/harness/judge/judge_case.h"
#include "src/probe/chain.h"
#include "src/probe/confirm.h"
#include "src/probe/integers.h"

namespace assay {
namespace {

constexpr Index kLength = 1024;
constexpr int kFp32Bits = 23;

std::string bits_text(const Level& level) {
  return level.bits < 0 ? "more than the format's range shows"
                        : fmt::format("{} fraction bits, {}", level.bits,
                                      level.nearest ? "rounded to nearest" : "cut");
}

bool is_fp32(const Level& level) { return level.bits == kFp32Bits && level.nearest; }

// The narrow format of partial sums that a level shows, or none.
std::string partial_format(const Level& level) {
  if (level.nearest && level.bits == 7) { return "bf16"; }
  if (level.nearest && level.bits == 10) { return "fp16"; }
  return {};
}

// Levels within a step, after it, and after an interval of many steps.
struct Reading {
  Level in_step, between_steps;
  std::optional<Level> interval{};
};
Reading read_levels(const std::vector<Level>& levels, Index step) {
  Reading reading{.in_step = levels.front(), .between_steps = levels.front()};
  for (const Level& level : levels) {
    if (level.from <= std::max<Index>(step, 2)) { reading.between_steps = level; }
  }
  if (levels.back().from > std::max<Index>(step, 2)) { reading.interval = levels.back(); }
  return reading;
}

void declare_step(DeclaredArithmetic& arithmetic, Index products, int fraction, int out) {
  arithmetic.kind = DeclaredArithmetic::Kind::kTensorCore;
  arithmetic.products_per_step = static_cast<int>(products);
  arithmetic.fraction_bits = fraction;
  arithmetic.out_bits = out;
}

// `interval`: products between two partial sums, where that stays as k grows; 0: it does not.
bool declare(const Chain& chain, const std::vector<Level>& levels, Index interval,
             DeclaredArithmetic& arithmetic) {
  const Reading reading = read_levels(levels, chain.step);
  const auto unseen = [](const Level& level) { return level.bits < 0; };
  if (std::ranges::any_of(levels, unseen)) { return false; }
  if (chain.step == 1 && is_fp32(reading.between_steps)) {
    arithmetic.kind = DeclaredArithmetic::Kind::kFma;
  } else {
    declare_step(arithmetic, chain.step, reading.in_step.bits, reading.between_steps.bits);
  }
  if (reading.interval) {
    const std::string format = partial_format(*reading.interval);
    if (format.empty()) {
      declare_step(arithmetic, std::min<Index>(reading.interval->from, kLength),
                   reading.interval->bits, reading.interval->bits);
    } else {
      arithmetic.partials = format;
      arithmetic.splits =
          static_cast<int>((chain.length + reading.interval->from - 1) / reading.interval->from);
    }
  }
  if (interval == 0) {
    arithmetic.splits = std::max(arithmetic.splits, static_cast<int>(chain.starts.size()));
  } else if (arithmetic.kind == DeclaredArithmetic::Kind::kTensorCore) {
    arithmetic.promotion_interval = static_cast<int>(interval);
  }
  arithmetic.ascending = chain.ascending && arithmetic.splits == 1 && !reading.interval;
  return true;
}

// What operands become before they are multiplied, and whether a product is rounded.
void probe_fp32_products(Probing& probing, ReductionBench& bench, DeclaredArithmetic& arithmetic) {
  // A product that is stored as a narrow partial sum shows the rounding of that.
  if (!traits(bench.left()).converted || arithmetic.partials != "fp32") { return; }
  const double bf16_loses = 1 + 0x1p-9, tf32_loses = 1 + 0x1.8p-11;
  const auto kept = bench.run({{{0, bf16_loses}}, {{0, tf32_loses}}}, kLength);
  if (!kept) { return; }
  Manifest& probed = probing.report.probed;
  if ((*kept)[0] != bf16_loses) {
    probed.conversion = "bf16";
  } else if ((*kept)[1] == 1) {
    probed.conversion = "tf32_rz";
  } else if ((*kept)[1] == 1 + 0x1p-10) {
    probed.conversion = "tf32_rna";
  }
  probing.settle("conversion");
  probing.row(
      "conversion", probed.conversion,
      fmt::format("1 + 2^-9 becomes {:a}, 1 + 1.5 * 2^-11 becomes {:a}", (*kept)[0], (*kept)[1]));
  if (probed.conversion != "none" || arithmetic.kind != DeclaredArithmetic::Kind::kFma) { return; }
  const double factor = 1 + 0x1p-12;
  const auto sum = bench.run({{{0, -1}, {1, factor}}}, kLength, factor);
  if (!sum || !arithmetic.ascending) { return; }
  arithmetic.fused = (*sum)[0] == 0x1p-12 + 0x1p-24;
  probing.row("multiply-add", arithmetic.fused ? "fused" : "product rounded, then added",
              fmt::format("(1 + 2^-12)^2 - (1 + 2^-12) is {:a}", (*sum)[0]));
}

void add_rows(Probing& probing, const Chain& chain, const std::vector<Level>& levels) {
  const Reading reading = read_levels(levels, chain.step);
  probing.row("accumulator", bits_text(reading.between_steps),
              fmt::format("a unit survives beside 2^{} and not beside 2^{}",
                          reading.between_steps.bits, reading.between_steps.bits + 1));
  const std::string agree =
      fmt::format("{} of {} sums agree", chain.lines - chain.strays, chain.lines);
  if (!chain.known) {
    probing.row("order of k", "none that is known", "of the best, " + agree);
    return;
  }
  probing.row("products per step", fmt::format("{}", chain.step),
              chain.step == 1
                  ? agree
                  : fmt::format("{}; within a step {}", agree, bits_text(reading.in_step)));
  probing.row("order of k", chain.ascending ? "ascending" : "descending", agree);
  std::string starts;
  for (std::size_t i = 0; i < std::min<std::size_t>(chain.starts.size(), 6); ++i) {
    starts += fmt::format("{}{}", i == 0 ? "" : ", ", chain.starts[i]);
  }
  probing.row("split", fmt::format("{}", chain.starts.size()),
              fmt::format("partial sums of k={} start at {}{}", chain.length, starts,
                          chain.starts.size() > 6 ? ", ..." : ""));
  if (!reading.interval) { return; }
  const std::string format = partial_format(*reading.interval);
  probing.row("partial sums", format.empty() ? bits_text(*reading.interval) : format,
              fmt::format("where {} or more products lie between; fewer keep {}",
                          reading.interval->from, reading.between_steps.bits));
}

// Intervals stay where k grows, the parts of a split grow with it.
Index probe_promotion(Probing& probing, ReductionBench& bench, const Chain& chain) {
  if (!chain.known || chain.starts.size() < 2) { return 0; }
  const auto twice = find_chain(bench, 2 * kLength);
  if (!twice || twice->starts.size() < 2) { return 0; }
  const bool interval = twice->starts[1] == chain.starts[1];
  probing.row(
      "promotion interval", interval ? fmt::format("{}", chain.starts[1]) : "none",
      fmt::format("with k={} the second partial sum starts at {}", 2 * kLength, twice->starts[1]));
  return interval ? chain.starts[1] : 0;
}

// What a declaration of what was found would be worth: an undeclared one is taken to be the
// coarsest that is known.
void suggest(Probing& probing, const ReductionBench& bench) {
  if (probing.lab.own().arithmetic.kind != DeclaredArithmetic::Kind::kUndeclared) { return; }
  const Manifest& found = probing.report.probed;
  Manifest silent = found;
  silent.arithmetic = {};
  const auto slope = [&](const Manifest& manifest) {
    return oracle::error_bound(to_oracle(manifest, bench.spec()), {.length = kLength,
                                                                   .a = to_oracle(bench.left()),
                                                                   .b = to_oracle(bench.right()),
                                                                   .out = to_oracle(bench.out())})
        .slope;
  };
  const double before = slope(silent), after = slope(found);
  if (!(after < before)) { return; }
  probing.row("to declare", fmt::format("\"arithmetic\": {}", arithmetic_text(found.arithmetic)),
              fmt::format("the bound of {} products is {:.2g} times narrower with it", kLength,
                          before / after));
}

// What sums of chosen products show. Nothing: no arithmetic that a manifest can say.
std::optional<DeclaredArithmetic> read_sums(Probing& probing, ReductionBench& bench) {
  const auto chain = find_chain(bench, kLength);
  if (!chain) {
    probing.row(
        "arithmetic", "unknown",
        fmt::format("sums of {} do not show it", joint_text(bench.in()).value_or("mixed formats")));
    return std::nullopt;
  }
  const std::vector<Level> levels = find_levels(bench, *chain);
  if (levels.empty()) { return std::nullopt; }
  add_rows(probing, *chain, levels);
  const Index interval = probe_promotion(probing, bench, *chain);
  DeclaredArithmetic arithmetic;
  if (!chain->known) {
    // fp32 everywhere bounds every order; of anything else no bound is known.
    if (std::ranges::all_of(levels, [](const Level& l) { return l.bits >= kFp32Bits; })) {
      arithmetic.kind = DeclaredArithmetic::Kind::kFma;
    }
  } else if (!declare(*chain, levels, interval, arithmetic)) {
    return std::nullopt;
  }
  probe_fp32_products(probing, bench, arithmetic);
  return arithmetic;
}

}  // namespace

void probe_arithmetic(Probing& probing) {
  ReductionBench bench(probing);
  DeclaredArithmetic arithmetic{.kind = DeclaredArithmetic::Kind::kInt32};
  const bool int32_sums =
      sums_are_of_32_bits(probing).value_or(probing.lab.own().arithmetic.int32_sums);
  const bool integers_alone = bench.spec().in.integers();
  if (!int32_sums || !integers_alone) {
    const auto read = read_sums(probing, bench);
    if (!read) { return; }
    arithmetic = *read;
  }
  arithmetic.int32_sums = int32_sums;
  if (arithmetic.foretells_bits() && !bench.spec().in.scaled()) {
    const Confirmation real = confirm(probing, bench.spec(), arithmetic);
    const bool confirmed = real.elements > 0 && real.different == 0;
    probing.row(
        "real values", confirmed ? "as the model says" : "not as the model says",
        fmt::format("{} of {} outputs differ in their bits", real.different, real.elements));
    if (!confirmed) {
      return;  // other shapes are added up in another way: nothing is settled
    }
  }
  if (!probe_scales(probing, bench.spec(), arithmetic)) { return; }
  // Codes times their scales are no integers: a manifest that says both is refused.
  if (!arithmetic.multiplies_sums()) { arithmetic.int32_sums = false; }
  probing.report.probed.arithmetic = arithmetic;
  if (arithmetic.kind == DeclaredArithmetic::Kind::kUndeclared) { return; }
  probing.settle("arithmetic");
  suggest(probing, bench);
}

}  // namespace assay
