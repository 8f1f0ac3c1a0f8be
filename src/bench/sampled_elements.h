// Samples of a product's elements: where their operands lie, and the oracle's verdict on what a
// kernel wrote there. Timing needs operands of production size, whose every element would take the
// oracle longer than the bench; certifying looks at all of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "oracle/model/arithmetic.h"
#include "src/bench/sampled_element.h"
#include "src/core/error.h"
#include "src/problem/case_spec.h"

namespace assay {

// Dense x [., k], y [., n] and w, with the rows of expert g from starts[g] on.
struct SampledProduct {
  Pass pass{};
  WeightsLayout weights = WeightsLayout::kEnk;
  Index k = 0, n = 0;
  std::vector<Index> rows, starts;
};
// Half of the rows and columns are an expert's first or last ones. wgrad samples experts without
// rows too. None where no element is owned.
std::vector<SampledElement> sample_elements(const SampledProduct& product, Index count,
                                            std::uint64_t seed);

// Operands of format `in` whose magnitudes are at most `largest`.
struct SampledFormats {
  Format in = Format::kBf16, out = Format::kBf16;
  double largest = 0;
};
// The result lies where the declared arithmetic may lead. Errors: the first element that does not,
// with its place, what it holds and what it may hold.
Status accept_samples(std::span<const SampledElement> elements,
                      std::span<const SampledResult> results, const SampledFormats& formats,
                      const oracle::Arithmetic& arithmetic);

}  // namespace assay
