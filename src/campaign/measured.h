// What a measuring check reports over its cases: median, worst, and where the worst was. Nothing
// here says whether that is good.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "properties/check.h"

namespace assay {

struct MeasuredCases {
  Index cases = 0;  // that have a figure
  double median = 0, worst = 0;
  Index worst_job = -1;  // the first that has it
};

struct JobFigure {
  Index job = 0;
  double value = 0;
};
MeasuredCases measured_over(const std::vector<JobFigure>& figures, WorseIs worse);

std::string figure_text(double value);  // 0.123, 29.4, 1234
// `29.4 times the loop's time`; of several cases `median 3.1, worst 29.4 times the loop's time`.
std::string measured_text(const MeasuredCases& measured, std::string_view unit);

}  // namespace assay
