// LineSeal: ties the lines of a run's record together. Each line ends in the run's id and a digest
// of itself and of all lines before it, so that a line that was changed, lost, moved or written by
// another run shows. It guards against damage and mix-ups; whoever forges a record can seal it,
// too.
#pragma once

#include <string>
#include <string_view>

#include "src/core/error.h"

namespace assay {

// 16 random hexadecimal digits.
std::string new_run_id();

class LineSeal {
 public:
  LineSeal() = default;  // of the run that the first opened line names
  explicit LineSeal(std::string run) : run_(std::move(run)) {}

  // The line with its seal and a newline. `object` is a JSON object on one line.
  std::string close(std::string_view object);
  // The object of a sealed line without its newline. Errors: the line is not the next one of the
  // run.
  Result<std::string> open(std::string_view line);

  const std::string& run() const { return run_; }

 private:
  std::string next(std::string_view line);

  std::string run_;
  std::string last_;
};

// Whether a line has the form of a sealed one.
bool is_sealed(std::string_view line);

}  // namespace assay
