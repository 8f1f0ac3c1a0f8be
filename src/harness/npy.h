// Operands as NumPy files: what `assay run --dump FOLDER` writes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/core/error.h"
#include "src/core/index.h"
#include "src/problem/problem.h"

namespace assay {

// A C-ordered .npy file (version 1.0) of float32; every format here converts to it exactly.
// Errors: the file cannot be written.
Status write_npy(const std::string& file, const std::vector<Index>& shape, Format format,
                 const std::byte* elements);

// Writes x.npy, w.npy, y.npy (the inputs, and C where the case accumulates), actual.npy (`output`)
// and expected.npy (exact, rounded once) into the folder, which is made where it is missing.
Status dump_case(const std::string& folder, const Problem& problem,
                 const std::vector<std::byte>& output);

}  // namespace assay
