// A RapidCheck generator of cases that shrinks through the one domain shrinker
// (src/problem/shrink.h).
#pragma once

#include <rapidcheck.h>

#include "properties/check.h"
#include "src/problem/case_spec.h"

namespace assay {

// A case of any generator, prepared for the check; shrinking keeps what the preparation set up.
// stay usable.
rc::Gen<CaseSpec> any_case(const Check& check, const Manifest& manifest);

}  // namespace assay
