#include "src/harness/device/cuda/virtual_memory.h"

#include <algorithm>
#include <string>

#include <cuda.h>
#include <cuda_runtime.h>

namespace assay {
namespace {

constexpr Index kGuardBytes = Index{64} << 20;

// From the driver itself: nothing links to it.
struct Calls {
  decltype(&cuMemGetAllocationGranularity) granularity = nullptr;
  decltype(&cuMemAddressReserve) reserve = nullptr;
  decltype(&cuMemAddressFree) release = nullptr;
  decltype(&cuMemCreate) create = nullptr;
  decltype(&cuMemRelease) destroy = nullptr;
  decltype(&cuMemMap) map = nullptr;
  decltype(&cuMemUnmap) unmap = nullptr;
  decltype(&cuMemSetAccess) set_access = nullptr;
};

template <class Function>
bool find(const char* name, Function& function) {
  constexpr unsigned kSince = 12000;
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &entry, kSince, cudaEnableDefault, &found);
  function = reinterpret_cast<Function>(entry);
  return error == cudaSuccess && found == cudaDriverEntryPointSuccess && entry != nullptr;
}

bool find_all(Calls& calls) {
  return find("cuMemGetAllocationGranularity", calls.granularity) &&
         find("cuMemAddressReserve", calls.reserve) && find("cuMemAddressFree", calls.release) &&
         find("cuMemCreate", calls.create) && find("cuMemRelease", calls.destroy) &&
         find("cuMemMap", calls.map) && find("cuMemUnmap", calls.unmap) &&
         find("cuMemSetAccess", calls.set_access);
}

Calls& calls() {
  static Calls all;
  return all;
}

tl::unexpected<Error> call_error(const char* call, CUresult result) {
  return make_error(std::string(call) + " returned " + std::to_string(static_cast<int>(result)));
}

CUmemAllocationProp properties(int ordinal) {
  CUmemAllocationProp prop{};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  prop.location.id = ordinal;
  return prop;
}

}  // namespace

Index free_device_bytes() {
  std::size_t left = 0, total = 0;
  return cudaMemGetInfo(&left, &total) == cudaSuccess ? static_cast<Index>(left) : 0;
}

Result<VirtualMemory> VirtualMemory::open(int ordinal) {
  if (!find_all(calls())) { return make_error("the driver has no calls for virtual memory"); }
  VirtualMemory memory;
  memory.ordinal_ = ordinal;
  const CUmemAllocationProp prop = properties(ordinal);
  std::size_t granularity = 0;
  const CUresult result =
      calls().granularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  if (result != CUDA_SUCCESS) { return call_error("cuMemGetAllocationGranularity", result); }
  memory.granularity_ = static_cast<Index>(granularity);
  return memory;
}

Result<DeviceBlock> VirtualMemory::map(Index bytes) {
  const Index rounded =
      std::max<Index>(1, (bytes + granularity_ - 1) / granularity_) * granularity_;
  const Index guard = (kGuardBytes + granularity_ - 1) / granularity_ * granularity_;
  Mapping mapping{.window_bytes = rounded + 2 * guard};
  CUdeviceptr window = 0;
  CUresult result = calls().reserve(&window, mapping.window_bytes, 0, 0, 0);
  if (result != CUDA_SUCCESS) { return call_error("cuMemAddressReserve", result); }
  mapping.window = window;
  const DeviceBlock block{window + static_cast<std::uint64_t>(guard), rounded};
  const CUmemAllocationProp prop = properties(ordinal_);
  result = calls().create(&mapping.handle, rounded, &prop, 0);
  if (result != CUDA_SUCCESS) {
    calls().release(window, mapping.window_bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) { return memory_error(rounded, free_device_bytes()); }
    return call_error("cuMemCreate", result);
  }
  const CUmemAccessDesc access{prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  result = calls().map(block.address, rounded, 0, mapping.handle, 0);
  if (result == CUDA_SUCCESS) { result = calls().set_access(block.address, rounded, &access, 1); }
  mappings_[block.address] = mapping;
  if (result == CUDA_SUCCESS) { return block; }
  unmap(block);
  return call_error("cuMemMap", result);
}

void VirtualMemory::unmap(const DeviceBlock& block) {
  const auto found = mappings_.find(block.address);
  if (found == mappings_.end()) { return; }
  calls().unmap(block.address, block.bytes);
  calls().destroy(found->second.handle);
  calls().release(found->second.window, found->second.window_bytes);
  mappings_.erase(found);
}

}  // namespace assay
