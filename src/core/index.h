// The one index type: offsets of elements and rows, wide enough for operands beyond 2^31 elements.
#pragma once

#include <cstdint>

namespace assay {

using Index = std::int64_t;

}  // namespace assay
