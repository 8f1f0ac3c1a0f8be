// The domain in which cases were judged, as JSON.
#pragma once

#include "src/campaign/tally.h"
#include "src/core/json_fields.h"

namespace assay {

void fields(JsonFields& json, CaseSizes& sizes);
void fields(JsonFields& json, Domain& domain);

}  // namespace assay
