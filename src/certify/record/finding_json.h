// Verdicts, findings and tile maps as JSON, written and read: in the record of a run, the report as
// JSON and the certificate.
#pragma once

#include "src/certify/certify.h"
#include "src/kernels/json_object.h"

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

// The words that a field `verdict` may hold, in the order of VerdictKind.
std::vector<std::string_view> verdict_names();

}  // namespace assay
