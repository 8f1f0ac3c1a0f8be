// The domain in which cases were judged, as JSON, written and read.
#pragma once

#include "src/campaign/tally.h"
#include "src/core/json_object.h"

namespace assay {

Json domain_json(const Domain& domain);
// Errors: what is missing or wrong, unknown fields.
Result<Domain> read_domain(const Json& json);

}  // namespace assay
