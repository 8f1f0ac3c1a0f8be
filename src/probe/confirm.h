// Whether the bits of real values are those that a declaration foretells.
#pragma once

#include "src/probe/experiments.h"

namespace assay {

// Outputs that differ from the model's bits, of how many.
struct Confirmation {
  Index elements = 0, different = 0;
  bool confirmed() const { return elements > 0 && different == 0; }
};
// Of `base` with long reductions that end within a step.
Confirmation confirm(Probing& probing, const CaseSpec& base, const DeclaredArithmetic& arithmetic);

// Where scales are multiplied in, in the pass, layout and convention of `base`: found by what
// foretells the bits, and added to the arithmetic. False where the base itself has scales and
// nothing foretells its bits: then the arithmetic is not settled either.
bool probe_scales(Probing& probing, const CaseSpec& base, DeclaredArithmetic& arithmetic);

}  // namespace assay
