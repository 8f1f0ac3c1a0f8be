// `sm80+zero_tail` and `sm90+zero_tail`: sm80 and sm90 with the option to zero the rows of y (of x
// in dX) past the last expert's. Each has its own name and manifest, hence its own certificate. A
// second small kernel in the same stream writes the zeros; it reads the offsets on the device, too.
#pragma once

#include "src/contract/assay/abi.h"

namespace assay {

int sm80_zero_tail_run(const assay_call* call);
int sm90_zero_tail_run(const assay_call* call);

}  // namespace assay
