#include "src/bench/cuda/device_memory.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace assay {

Status cuda_status(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess) { return {}; }
  (void)cudaGetLastError();  // reported here
  const std::string_view path(file);
  return make_error(fmt::format("{} failed: {} ({}), {}:{}", call, cudaGetErrorName(error),
                                cudaGetErrorString(error), path.substr(path.rfind('/') + 1), line));
}

Result<DeviceMemory> allocate(Index bytes) {
  void* data = nullptr;
  const cudaError_t error = cudaMalloc(&data, static_cast<std::size_t>(std::max<Index>(bytes, 1)));
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();  // reported here
    return make_error(fmt::format("the device has fewer than {} bytes free", bytes));
  }
  ASSAY_CUDA_TRY(error);
  return DeviceMemory(data, [](void* memory) { (void)cudaFree(memory); });
}

}  // namespace assay
