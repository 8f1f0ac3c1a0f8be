// The first line of a run's record as JSON, and the parts of it that a certificate has too.
#pragma once

#include "src/core/json_fields.h"
#include "src/record/run_record.h"

namespace assay {

void fields(JsonFields& json, Environment& environment);
void fields(JsonFields& json, Harness& harness);
// Whether the artifact is a file or built-in sources.
void artifact_kind(JsonFields& json, const char* field, Artifact& artifact);

// Errors also: another version's record, a check or a generator that `names` lacks.
void fields(JsonFields& json, RunHeader& header, const Registry& names);
void fields(JsonFields& json, RunEnd& end);

}  // namespace assay
