// What a kernel is told: the arrays of a case as they lie in memory, and read as `told` says.
#pragma once

#include <cstddef>
#include <vector>

#include "src/core/error.h"
#include "src/problem/problem.h"

namespace assay {

// The bytes of the arrays, stored in the type of `offsets`. For problems, `primary` holds the (M,
// N, K) triples.
struct StoredOffsets {
  IndexType type = IndexType::kI32;
  std::vector<std::byte> primary;
  std::vector<std::byte> sizes;  // starts only
};
StoredOffsets store_offsets(const OffsetArrays& arrays);

// Where `told` and `offsets` differ, the kernel gets the arrays that there are:
//   - the primary array as call->offsets, or as call->sizes when told problems, with as many
//   entries of the told type
//     as its bytes hold (1-D unless it is the triples that problems promises);
//   - call->sizes for told starts only where the case has sizes, else NULL;
//   - pointer arrays only where the case itself is problems and the kernel is told so, else NULL.
// The arrays are checked as a kernel that believes what it is told would check them.
// Errors: the first entry that breaks the told convention, as validate_offsets says it.
Status validate_as_told(const Problem& problem);

}  // namespace assay
