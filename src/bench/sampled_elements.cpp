#include "src/bench/sampled_elements.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "oracle/fast/enclosed_rule.h"
#include "src/core/require.h"
#include "src/harness/judge/judge_case.h"
#include "src/problem/rng.h"

namespace assay {
namespace {

// The first, the last, or any of `count`.
Index drawn(Rng& rng, Index count) {
  if (!rng.chance(1, 2)) { return rng.below(count); }
  return rng.chance(1, 2) ? 0 : count - 1;
}

// One expert's part of an operand: its first element, and the distances between rows and columns.
struct Steps {
  Index first = 0, row = 0, col = 0;
};
Steps steps_of(const SampledProduct& p, Role role, Index expert) {
  const AxisSizes sizes{.rows = 0, .k = p.k, .n = p.n};
  const Index cols = sizes[axes_of(role).cols];
  if (role != Role::kW) { return {p.starts[expert] * cols, cols, 1}; }
  const Index first = expert * p.k * p.n;
  if (p.weights == WeightsLayout::kEnk) { return {first, 1, p.k}; }
  return {first, p.n, 1};
}
Steps steps_of(const SampledProduct& p, const FactorRole& factor, Index expert) {
  const Steps steps = steps_of(p, factor.role, expert);
  return factor.transposed ? Steps{steps.first, steps.col, steps.row} : steps;
}

AxisSizes sizes_of(const SampledProduct& p, Index expert) {
  return {.rows = p.rows[expert], .k = p.k, .n = p.n};
}

SampledElement element_at(const SampledProduct& p, Index expert, Index row, Index col) {
  const Operation& op = operation(p.pass);
  const Steps a = steps_of(p, op.a, expert), b = steps_of(p, op.b, expert);
  const Steps out = steps_of(p, op.output, expert);
  SampledElement e;
  e.expert = expert;
  e.row = row;
  e.col = col;
  e.a_first = a.first + row * a.row;
  e.a_step = a.col;
  e.b_first = b.first + col * b.col;
  e.b_step = b.row;
  e.depth = sizes_of(p, expert)[op.depth()];
  e.out = out.first + row * out.row + col * out.col;
  return e;
}

// y and S of an fp64 sum of exact products in some order, as oracle/fast/enclosure.h proves.
oracle::Enclosed enclosed(const SampledResult& result, Index depth) {
  const double terms = static_cast<double>(depth) + 8;
  oracle::EnclosureTerms known;
  known.error_slope = terms * 0x1p-53;
  known.gauge_down = 1 - terms * 0x1p-53;
  known.gauge_up = std::nextafter(1 / known.gauge_down, 2.0);
  return oracle::enclose(known, result.sum, &result.gauge);
}

}  // namespace

std::vector<SampledElement> sample_elements(const SampledProduct& product, Index count,
                                            std::uint64_t seed) {
  const Operation& op = operation(product.pass);
  std::vector<Index> owners;
  for (std::size_t expert = 0; expert < product.rows.size(); ++expert) {
    if (op.reduces_rows() || product.rows[expert] > 0) {
      owners.push_back(static_cast<Index>(expert));
    }
  }
  std::vector<SampledElement> elements;
  if (owners.empty()) { return elements; }
  Rng rng(seed);
  for (Index i = 0; i < count; ++i) {
    const Index expert = rng.pick(owners);
    const AxisSizes sizes = sizes_of(product, expert);
    const Index rows = sizes[op.m()], cols = sizes[op.n()];
    const Index row = drawn(rng, rows);
    elements.push_back(element_at(product, expert, row, drawn(rng, cols)));
  }
  return elements;
}

Status accept_samples(std::span<const SampledElement> elements,
                      std::span<const SampledResult> results, const SampledFormats& formats,
                      const oracle::Arithmetic& arithmetic) {
  ASSAY_REQUIRE(elements.size() == results.size(), elements.size(), results.size());
  const oracle::OperandRange range{.largest = formats.largest, .subnormal = true};
  oracle::Reduction reduction{.a = to_oracle(formats.in),
                              .b = to_oracle(formats.in),
                              .out = to_oracle(formats.out),
                              .a_range = range,
                              .b_range = range};
  oracle::Rule rule{.format = reduction.out, .bound = {}, .saturates = arithmetic.saturates};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const SampledElement& element = elements[i];
    const SampledResult& result = results[i];
    if (i == 0 || element.depth != reduction.length) {
      reduction.length = element.depth;
      rule.bound = oracle::error_bound(arithmetic, reduction);
    }
    const oracle::EnclosedVerdict verdict(rule, enclosed(result, element.depth));
    const oracle::Point got = oracle::point_of(rule.format, result.got_bits);
    if (verdict.accepts(got) == oracle::Answer::kYes) { continue; }
    return make_error(fmt::format(
        "expert {} row {} column {} holds {:g}, exact is {:g}, bound {:.3g}", element.expert,
        element.row, element.col, oracle::to_double(rule.format, result.got_bits), result.sum,
        rule.bound.at(result.gauge)));
  }
  return {};
}

}  // namespace assay
