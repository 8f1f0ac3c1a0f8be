// Codes that share a byte: a Problem has each in a byte of its own, a kernel's memory has not.
#pragma once

#include <cstddef>
#include <vector>

#include "src/problem/problem.h"

namespace assay {

// The operand's rows, neighbouring codes in one byte, the first one in its lowest bits. Requires:
// whole bytes a row.
std::vector<std::byte> pack_codes(const DenseOperand& operand);

}  // namespace assay
