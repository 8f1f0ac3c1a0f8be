// Mix-ups: arrays of one offset convention handed to a kernel that is told another. Every one must
// be refused by validation, diagnosed by its name, or harmless on that routing (one expert: counts
// and ends are the same array).
#pragma once

#include <string>
#include <vector>

#include "src/harness/call/session.h"

namespace assay {

struct MixupCount {
  Convention holds = Convention::kEnds;  // what the arrays are
  Convention told = Convention::kEnds;   // what the kernel is told
  Index refused = 0;    // validate_as_told, or the kernel itself, named a bad entry
  Index diagnosed = 0;  // wrong numbers, and the diagnosis names the mix-up
  Index harmless = 0;   // the right answer all the same
  Index unexplained = 0;
  std::string unexplained_case{};  // the first one's line
};

// All ordered pairs on `routings` routings each, by a kernel that takes every convention.
// Validation is asked first; what it lets through is run.
std::vector<MixupCount> try_mixups(Session& kernel, Index routings, std::uint64_t seed);
std::string mixups_table(const std::vector<MixupCount>& counts);

}  // namespace assay
