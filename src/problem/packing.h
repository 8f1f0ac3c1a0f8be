// Packing: formats whose codes share a byte ask for whole bytes a row and gap.
#pragma once

#include "src/problem/case_spec.h"

namespace assay {

// Widens k, n, ld and wpitch to whole bytes, and k and n to multiples of these as well.
void use_whole_bytes(CaseSpec& spec, Index k_multiple = 1, Index n_multiple = 1);

}  // namespace assay
