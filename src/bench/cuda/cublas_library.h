// CublasLibrary: cuBLAS, opened when it is asked for, so that a program that can use it starts
// without it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "src/bench/column_gemm.h"
#include "src/bench/cuda/device_memory.h"

namespace assay {

// A product with its operands in device memory.
struct BoundGemm {
  ColumnGemm shape;
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
};

// `count` products of one shape, their operands so many elements apart.
struct BatchedGemm {
  BoundGemm first;
  Index a_pitch = 0, b_pitch = 0, c_pitch = 0;
  int count = 0;
};

// Products of many shapes, as cuBLAS takes them: made once, kept while calls may run. The arrays of
// pointers lie in device memory.
struct GroupedGemm {
  explicit GroupedGemm(const std::vector<ColumnGemm>& shapes);

  std::vector<cublasOperation_t> a_operations{}, b_operations{};
  std::vector<int> rows{}, cols{}, depths{}, a_lds{}, b_lds{}, c_lds{}, sizes{};
  std::vector<float> ones{}, zeros{};
  const void* const* a = nullptr;
  const void* const* b = nullptr;
  void* const* c = nullptr;
};

class CublasLibrary {
 public:
  // Products of this format, added in fp32 throughout, in one stream.
  // Errors: no library that loads, or one without a call; cuBLAS's own.
  static Result<std::unique_ptr<CublasLibrary>> open(cudaStream_t stream, Format format);
  ~CublasLibrary();
  CublasLibrary(const CublasLibrary&) = delete;
  CublasLibrary& operator=(const CublasLibrary&) = delete;

  std::string version() const;
  // Errors: cuBLAS's status by name.
  Status multiply(const BoundGemm& gemm);
  Status multiply(const BatchedGemm& gemm);
  Status multiply(const GroupedGemm& gemm);

 private:
  struct Calls;
  CublasLibrary(std::shared_ptr<void> library, std::unique_ptr<Calls> calls, Format format);
  Status start(cudaStream_t stream);
  Status status_of(cublasStatus_t status, const char* call) const;

  std::shared_ptr<void> library_;
  std::unique_ptr<Calls> calls_;
  cudaDataType_t type_;
  cublasHandle_t handle_ = nullptr;
  DeviceMemory workspace_;
};

}  // namespace assay
