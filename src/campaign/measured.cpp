#include "src/campaign/measured.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace assay {

MeasuredCases measured_over(const std::vector<JobFigure>& figures, WorseIs worse) {
  MeasuredCases measured{.cases = static_cast<Index>(figures.size())};
  std::vector<double> values;
  for (const JobFigure& figure : figures) {
    const bool first = values.empty();
    const bool is_worse =
        worse == WorseIs::kMore ? figure.value > measured.worst : figure.value < measured.worst;
    if (first || is_worse) {
      measured.worst = figure.value;
      measured.worst_job = figure.job;
    }
    values.push_back(figure.value);
  }
  if (values.empty()) { return measured; }
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  measured.median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return measured;
}

std::string figure_text(double value) {
  constexpr double kAllDigits = 1000;
  return std::fabs(value) < kAllDigits ? fmt::format("{:.3g}", value)
                                       : fmt::format("{:.0f}", value);
}

std::string measured_text(const MeasuredCases& measured, std::string_view unit) {
  if (measured.cases == 1) { return fmt::format("{} {}", figure_text(measured.worst), unit); }
  return fmt::format("median {}, worst {} {}", figure_text(measured.median),
                     figure_text(measured.worst), unit);
}

}  // namespace assay
