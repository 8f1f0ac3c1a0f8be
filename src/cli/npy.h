// Arrays as numpy's .npy files.
#pragma once

#include <string>
#include <vector>

#include "src/core/error.h"
#include "src/problem/format.h"
#include "src/problem/scales.h"

namespace assay {

// Values as float32 (exact for every format of elements and scales), row-major. Errors: the path
// and the system's reason.
Status write_npy(const std::string& path, Format format, const std::byte* elements, Index rows,
                 Index cols);
Status write_npy(const std::string& path, const DenseScales& scales);
Status write_npy(const std::string& path, const std::vector<Index>& values);
Status write_npy(const std::string& path, const std::vector<float>& values);

}  // namespace assay
