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
// The field `verdict`.
void verdict_kind(JsonFields& json, VerdictKind& kind);
// Errors also: a check that `names` lacks.
void fields(JsonFields& json, Finding& finding, const BatteryNames& names);

Json finding_json(const Finding& finding);

}  // namespace assay
