// Recorded routings: CSV files with a header `step,layer,e0,e1,...` and a line of token counts for
// each (step, layer). Step and layer may have other usual names or no column, experts may be called
// `expert_0` or `0`; comment lines begin with #.
#pragma once

#include <string>
#include <vector>

#include "src/core/error.h"
#include "src/core/index.h"

namespace assay {

struct RecordedStep {
  Index step = 0;
  Index layer = 0;
  std::vector<Index> rows;  // tokens of each expert
};

// Reads a whole file. A bare name is looked up in corpus/routing (with or without `.csv`), then as
// a path. Errors name file, line and column, and what was expected there.
Result<std::vector<RecordedStep>> read_recording(const std::string& file);
Result<std::vector<RecordedStep>> parse_recording(const std::string& text, const std::string& file);
Result<std::vector<Index>> recorded_rows(const std::string& file, Index step, Index layer);

// corpus/ of the source tree or of the installation; ASSAY_CORPUS overrides it.
std::string corpus_folder();

}  // namespace assay
