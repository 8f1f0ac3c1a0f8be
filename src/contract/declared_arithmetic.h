// "arithmetic" of a manifest.
#pragma once

#include "src/contract/manifest.h"
#include "src/core/json_object.h"

namespace assay {

// Errors: the field, and what is allowed.
Status read_arithmetic(const Json& value, DeclaredArithmetic& arithmetic);

}  // namespace assay
