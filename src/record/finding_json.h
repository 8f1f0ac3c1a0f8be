// Verdicts, findings and tile maps as JSON, written and read: in the record of a run, the report as
// JSON and the certificate.
#pragma once

#include "src/campaign/certify.h"
#include "src/core/json_object.h"

namespace assay {

// JSON has no infinity and no NaN: they are strings.
Json number_json(double value);
// `value`, `hex` and `bits`, fields of `worst`: `bits` decide, the others are for people.
Json entry_json(const Entry& entry, Format format);
Result<Entry> read_entry(const Json& json);

Json finding_json(const Finding& finding);
// Errors: what is missing or wrong, unknown fields, a check that `names` lacks.
Result<Finding> read_finding(const Json& json, const BatteryNames& names);

Json tiles_json(const TileMap& map);
Result<TileMap> read_tiles(const Json& json);

// The fields `aspect` and, where more is wrong, `alsoWrong`; absent of what did not fail and in old
// records. Errors are the object's. Requires of reading: verdict.reason was read.
void add_aspects(Json& json, const Verdict& verdict);
void read_aspects(JsonObject& object, Verdict& verdict);

// The field `verdict`. Errors are the object's.
void read_verdict_kind(JsonObject& object, VerdictKind& kind);

}  // namespace assay
