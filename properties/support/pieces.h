// Problems made from another one's experts: reordered, split, joined by empties or taken alone,
// operand bits kept.
#pragma once

#include <vector>

#include "src/contract/manifest.h"
#include "src/problem/problem.h"

namespace assay {

// Rows [first, first + count) of expert `source`; its weights come along. count 0 makes an empty
// expert.
struct Piece {
  Index source = 0;
  Index first = 0;
  Index count = 0;
};

std::vector<Piece> all_pieces(const Problem& problem);  // every expert whole, in order
// Placed as the manifest asks. Requires: acc = 0, or every source at most once (C of wgrad goes
// with its expert); pieces begin at multiples of cut_multiple.
Problem with_pieces(const Problem& problem, const std::vector<Piece>& pieces,
                    const Manifest& manifest);
// Rows of an expert may be cut at multiples of this: blocks of rows that share scales stay whole.
Index cut_multiple(const Problem& problem);
// The same operands under another row layout and encoding. Requires: the same rows.
Problem relaid(const Problem& problem, const CaseSpec& spec);
// True where the cases differ at most in the places of their operands in memory and in how offsets
// are told.
bool has_values_of(const CaseSpec& spec, const CaseSpec& other);

// Bytes of one expert in a dense output: its rows (fwd, dgrad) or its gradient (wgrad).
struct ByteRange {
  Index first = 0, count = 0;
};
ByteRange output_bytes(const Problem& problem, Index expert);

}  // namespace assay
