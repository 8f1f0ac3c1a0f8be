// libassay-worker.so: the worker's loop for a host that is not written in C++: Python loads it
// through ctypes, so that nothing of ours links Python.
#include <cstdlib>
#include <cstring>
#include <string>

#include "src/contract/assay/abi.h"
#include "src/harness/process/loaded_code.h"
#include "src/harness/process/worker_loop.h"

namespace {

// DLPack's two structures that own a tensor, field for field.
struct DlManaged {
  assay_tensor tensor;
  void* context;
  void (*deleter)(DlManaged*);
};
struct DlManagedVersioned {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(DlManagedVersioned*);
  std::uint64_t flags;
  assay_tensor tensor;
};

constexpr int kMostDims = 3;

// Owner and extents in one block: a consumer may keep a tensor longer than the call, and frees it
// by itself.
template <class Managed>
struct Owned {
  Managed managed;
  std::int64_t shape[kMostDims];
  std::int64_t strides[kMostDims];
};

template <class Managed>
Managed* own(const assay_tensor& tensor) {
  if (tensor.ndim > kMostDims) { return nullptr; }
  auto* const owned = static_cast<Owned<Managed>*>(std::calloc(1, sizeof(Owned<Managed>)));
  if (owned == nullptr) { return nullptr; }
  owned->managed.tensor = tensor;
  owned->managed.tensor.shape = owned->shape;
  owned->managed.tensor.strides = owned->strides;
  for (int i = 0; i < tensor.ndim; ++i) {
    owned->shape[i] = tensor.shape[i];
    owned->strides[i] = tensor.strides[i];
  }
  owned->managed.deleter = [](Managed* self) { std::free(self); };
  return &owned->managed;
}

}  // namespace

extern "C" {

// By which the host's own picture of the call is checked.
__attribute__((visibility("default"))) extern const std::uint64_t assay_call_bytes_v1;
const std::uint64_t assay_call_bytes_v1 = sizeof(assay_call);

// `load` answers 1 and the manifest's JSON, or 0 and why the kernel does not load, in text that
// lives on. `modules` answers how many modules the host has loaded, and sets `text`, where it is
// not null, to their lines of assay::loaded_text. Returns the process's exit status.
__attribute__((visibility("default"))) int assay_serve_v1(
    int socket, int (*load)(const char** text), assay_run_function run,
    std::uint64_t (*modules)(const char** text)) {
  const auto named = [modules](std::string* lines) {
    const char* text = nullptr;
    const std::uint64_t count = modules(lines != nullptr ? &text : nullptr);
    if (lines != nullptr) {
      *lines = text != nullptr ? text : assay::unnamed_text("its modules cannot be listed");
    }
    return count;
  };
  return assay::serve_kernel(socket, [&]() -> assay::Result<assay::ServedKernel> {
    const char* text = "";
    const int loaded = load(&text);
    if (loaded != 1) { return assay::make_error(text); }
    return assay::ServedKernel{text, run, nullptr, named};
  });
}

// A DLManagedTensor, or a DLManagedTensorVersioned of DLPack 1.0, over the memory of a call's
// tensor; null where there is no memory left.
__attribute__((visibility("default"))) void* assay_dlpack_v1(const assay_tensor* tensor,
                                                             int versioned) {
  if (versioned == 0) { return own<DlManaged>(*tensor); }
  auto* const managed = own<DlManagedVersioned>(*tensor);
  if (managed != nullptr) { managed->major = 1; }
  return managed;
}

// Frees what assay_dlpack_v1 gave and no consumer took.
__attribute__((visibility("default"))) void assay_dlpack_free_v1(void* managed) {
  std::free(managed);
}

}  // extern "C"
