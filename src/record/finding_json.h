// Verdicts, findings and tile maps as JSON: in the record of a run and in the report as JSON.
#pragma once

#include "src/campaign/certify.h"
#include "src/core/json_fields.h"

namespace assay {

// `value`, `hex` and `bits`, fields of `worst`: `bits` decide, the others are for people.
void fields(JsonFields& json, Entry& entry, Format format);
void fields(JsonFields& json, Tile& tile);
void fields(JsonFields& json, ExpertTiles& expert);
void fields(JsonFields& json, TileMap& map);
void fields(JsonFields& json, FailedAspect& failed);
// The fields `aspect` and, where more is wrong, `alsoWrong`; absent of what did not fail, and in
// older records. Requires of reading: verdict.reason was read.
void aspects_of(JsonFields& json, Verdict& verdict);
// The field `innerCase`; absent where the check judged the case that it was given.
void inner_case(JsonFields& json, Verdict& verdict);
// The field `aspect` alone; "" where there is none.
void aspect_field(JsonFields& json, std::string& aspect);
// The field `verdict`.
void verdict_kind(JsonFields& json, VerdictKind& kind);
// Errors also: a check that `names` lacks.
void fields(JsonFields& json, Finding& finding, const Registry& names);

Json finding_json(const Finding& finding);

}  // namespace assay
