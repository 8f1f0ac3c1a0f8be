// The kernels that are built in: one row each.
#pragma once

#include <span>
#include <string>

#include "src/contract/loader.h"

namespace assay {

std::span<const BuiltinKernel> builtin_kernels();
// One of them, or what else src/contract/loader.h takes.
Result<LoadedKernel> load_kernel(const std::string& spec);

}  // namespace assay
