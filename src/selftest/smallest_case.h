// SmallestCase: how far the finding of a planted defect has to shrink before a person reads it.
#pragma once

#include <string>
#include <string_view>

#include "src/contract/manifest.h"
#include "src/core/error.h"
#include "src/problem/case_spec.h"

namespace assay {

// What a defect of capacity needs at least before it shows, 0 where it needs nothing unusual.
struct SmallestCase {
  Index experts = 0, rows = 0, columns = 0, reduction = 0, tiles = 0;
  friend bool operator==(const SmallestCase&, const SmallestCase&) = default;
};

// `experts 1025`, `rows 32768`, `columns 257`, `reduction 2049`, `tiles 65`; commas between.
// Errors: the word quoted, what is allowed.
Result<SmallestCase> parse_smallest(std::string_view text);

// Empty when the shrunk case is small enough, else what is too large: at most 3 experts and 2
// tiles' rows (of the tallest tile that the manifest declares), or twice what the defect needs.
std::string too_large(const CaseSpec& shrunk, const SmallestCase& smallest,
                      const Manifest& manifest);

}  // namespace assay
