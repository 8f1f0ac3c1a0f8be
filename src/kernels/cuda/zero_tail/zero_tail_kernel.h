// `sm80_zero_tail` and `sm90_zero_tail`: sm80 and sm90 where the rows of y (of x in dX) past the
// last expert's are asked to be zero. A second small kernel in the same stream writes them; it
// reads the offsets on the device, too.
#pragma once

#include "src/contract/assay/abi.h"

namespace assay {

const char* sm80_zero_tail_manifest();
const char* sm90_zero_tail_manifest();
int sm80_zero_tail_run(const assay_call* call);
int sm90_zero_tail_run(const assay_call* call);

}  // namespace assay
