// What the bench makes of repeated timings: the median, its spread, and ratios of runs that were
// timed beside each other.
#pragma once

#include <vector>

namespace assay {

// Of an even number the mean of the two in the middle. Requires: not empty.
double median(std::vector<double> samples);
// The distance between the quartiles over the median; 0 for fewer than four samples.
double spread(std::vector<double> samples);
// The median of one[i] / other[i]: clocks that drift over the run act on both of a pair alike.
// Requires: the same number of samples, at least one.
double median_ratio(const std::vector<double>& one, const std::vector<double>& other);

}  // namespace assay
