// What no manifest can declare together, or at all.
#pragma once

#include "src/contract/manifest.h"
#include "src/core/json_object.h"

namespace assay {

// Fails the field that cannot be.
void refuse_contradictions(JsonObject& object, const Manifest& manifest);

}  // namespace assay
