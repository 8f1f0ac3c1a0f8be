// The check that the probe is: what a manifest declares is what experiments find.
#pragma once

#include "properties/check.h"

namespace assay {

Check the_manifest_agrees_with_the_probe();

}  // namespace assay
