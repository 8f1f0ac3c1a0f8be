// Sums of integers.
#pragma once

#include <optional>

#include "src/probe/reduction_bench.h"

namespace assay {

// Whether products of two integer operands are added exactly, as int32 does; adds a row that says
// so. Nothing, and no row, where the kernel takes no two such operands.
std::optional<bool> sums_are_of_32_bits(Probing& probing);

}  // namespace assay
