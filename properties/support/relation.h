// The shape of a metamorphic check: run a case, run a problem made from it, and hold each expert's
// output bits of the second against those of the first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "properties/support/case_run.h"
#include "properties/support/pieces.h"

namespace assay {

// Where the rows of one expert of the changed problem stand in the original: `pieces` of
// with_pieces. Judges both runs by the oracle, and compares bits row by row where rows_repeat_bits
// allows it.
Verdict compare_pieces(Session& kernel, const CaseSpec& spec,
                       std::vector<Piece> (*choose)(const Problem& problem,
                                                    const Manifest& manifest),
                       const std::string& what);

// Why a check with times_experts does not apply: max_experts is 1.
std::optional<std::string> needs_two_experts(const Manifest& manifest);

// Output bits of one expert (or a part of its rows), contiguous.
std::vector<std::byte> piece_bits(const Problem& problem, const std::vector<std::byte>& output,
                                  const Piece& piece);

}  // namespace assay
