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

// What stays the same over a product's elements: distances in w.
struct WeightSteps {
  Index along_k, along_n;
};
WeightSteps weight_steps(const SampledProduct& product) {
  if (product.weights == WeightsLayout::kEnk) { return {1, product.k}; }
  return {product.n, 1};
}

SampledElement element_at(const SampledProduct& p, Index expert, Index row, Index col) {
  const WeightSteps w = weight_steps(p);
  const Index w_first = expert * p.k * p.n;
  SampledElement e;
  e.expert = expert;
  e.row = row;
  e.col = col;
  const Index physical = p.starts[static_cast<std::size_t>(expert)] + row;
  switch (p.pass) {
    case Pass::kFwd:
      e.a_first = physical * p.k;
      e.a_step = 1;
      e.b_first = w_first + col * w.along_n;
      e.b_step = w.along_k;
      e.depth = p.k;
      e.out = physical * p.n + col;
      break;
    case Pass::kDgrad:
      e.a_first = physical * p.n;
      e.a_step = 1;
      e.b_first = w_first + col * w.along_k;
      e.b_step = w.along_n;
      e.depth = p.n;
      e.out = physical * p.k + col;
      break;
    case Pass::kWgrad: {
      const Index start = p.starts[static_cast<std::size_t>(expert)];
      e.a_first = start * p.k + row;
      e.a_step = p.k;
      e.b_first = start * p.n + col;
      e.b_step = p.n;
      e.depth = p.rows[static_cast<std::size_t>(expert)];
      e.out = w_first + row * w.along_k + col * w.along_n;
      break;
    }
  }
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
  std::vector<Index> owners;
  for (std::size_t expert = 0; expert < product.rows.size(); ++expert) {
    if (product.pass == Pass::kWgrad || product.rows[expert] > 0) {
      owners.push_back(static_cast<Index>(expert));
    }
  }
  std::vector<SampledElement> elements;
  if (owners.empty()) { return elements; }
  Rng rng(seed);
  for (Index i = 0; i < count; ++i) {
    const Index expert = rng.pick(owners);
    const Index rows =
        product.pass == Pass::kWgrad ? product.k : product.rows[static_cast<std::size_t>(expert)];
    const Index cols = product.pass == Pass::kDgrad ? product.k : product.n;
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
