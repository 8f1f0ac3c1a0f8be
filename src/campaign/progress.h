// ProgressView: how far a run is, on stderr: one line that redraws itself on a terminal, plain
// lines now and then elsewhere.
#pragma once

#include <string>

#include "src/campaign/run_profile.h"

namespace assay {

// `  37 %  [#####.....]  1480/4000  210 cases/s  12 s left  2 findings  expert_order_is_irrelevant`
std::string progress_text(const Progress& progress, int bar_columns);

class ProgressView {
 public:
  ProgressView();  // looks at stderr, NO_COLOR and TERM
  ~ProgressView();
  ProgressView(const ProgressView&) = delete;
  ProgressView& operator=(const ProgressView&) = delete;

  void show(const Progress& progress);
  // The same of any other work: what a terminal shows, and what else, `seconds` after the start.
  void show(double seconds, const std::string& drawn, const std::string& plain);
  void clear();  // leaves an empty line to write on

 private:
  bool terminal_;
  bool drawn_ = false;
  double next_line_seconds_ = 0;
};

// Whether a stream is a terminal that takes colour (NO_COLOR unset, TERM not dumb).
bool takes_colour(int file_descriptor);

}  // namespace assay
