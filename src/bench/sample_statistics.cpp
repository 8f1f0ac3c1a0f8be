#include "src/bench/sample_statistics.h"

#include <algorithm>
#include <cstddef>

#include "src/core/require.h"

namespace assay {
namespace {

constexpr std::size_t kFewestForSpread = 4;

// Between the two samples next to the place `share` of the way up. Requires: sorted, not empty.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] * (1 - part) + sorted[above] * part;
}

}  // namespace

double median(std::vector<double> samples) {
  ASSAY_REQUIRE(!samples.empty());
  std::sort(samples.begin(), samples.end());
  return quantile(samples, 0.5);
}

double spread(std::vector<double> samples) {
  if (samples.size() < kFewestForSpread) { return 0; }
  std::sort(samples.begin(), samples.end());
  return (quantile(samples, 0.75) - quantile(samples, 0.25)) / quantile(samples, 0.5);
}

double median_ratio(const std::vector<double>& one, const std::vector<double>& other) {
  ASSAY_REQUIRE(one.size() == other.size(), one.size(), other.size());
  std::vector<double> ratios;
  for (std::size_t i = 0; i < one.size(); ++i) { ratios.push_back(one[i] / other[i]); }
  return median(std::move(ratios));
}

}  // namespace assay
