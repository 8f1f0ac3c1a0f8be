// Device memory that frees itself, and CUDA's errors as ours.
#pragma once

#include <memory>

#include <cuda_runtime.h>

#include "src/core/error.h"
#include "src/core/index.h"

namespace assay {

// Errors: the call's text, CUDA's name for the error and what it means, file and line.
Status cuda_status(cudaError_t error, const char* call, const char* file, int line);

using DeviceMemory = std::shared_ptr<void>;
// Errors: the device has fewer bytes free.
Result<DeviceMemory> allocate(Index bytes);

}  // namespace assay

// Leaves the function, one that returns a Status or Result, when the call fails.
#define ASSAY_CUDA_TRY(call)                                         \
  do {                                                               \
    if (const ::assay::Status status_of_call =                       \
            ::assay::cuda_status((call), #call, __FILE__, __LINE__); \
        !status_of_call)                                             \
      return tl::unexpected(status_of_call.error());                 \
  } while (false)
