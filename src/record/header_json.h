// The first line of a run's record, and the parts of it that a certificate has too.
#pragma once

#include "src/core/json_object.h"
#include "src/record/run_record.h"

namespace assay {

Json header_json(const RunHeader& header);
// Errors: what is missing or wrong, unknown fields, another version's record.
Result<RunHeader> read_header(const Json& json, const BatteryNames& names);

Json environment_json(const Environment& environment);
Status read_environment(const Json& json, Environment& to);
Json harness_json(const Harness& harness);
Status read_harness(const Json& json, Harness& to);
Json waivers_json(const std::vector<Waiver>& waivers);
Status read_waiver_list(const Json& json, std::vector<Waiver>& to);

}  // namespace assay
