// Contestant: one way to compute a product, ready to be launched again and again on operands that
// all contestants share, into an output of its own.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "oracle/model/arithmetic.h"
#include "src/bench/cuda/bench_work.cuh"
#include "src/bench/cuda/cublas_library.h"
#include "src/bench/cuda/device_memory.h"
#include "src/bench/gpu_record.h"
#include "src/bench/sampled_elements.h"
#include "src/kernels/registry.h"

namespace assay {

inline constexpr Index kSamples = 4096;  // elements of an answer that are checked
inline constexpr std::uint64_t kSampleSeed = 2;

// The operands of one pass over a case, random and without gaps; nothing in the role of the output.
struct BenchOperands {
  BenchCase shape;
  SampledProduct product;  // pass, layout of w, where the rows of each expert lie
  Format format = Format::kBf16;
  PerOperand<DeviceMemory> data;

  Pass pass() const { return product.pass; }
  Index output_elements() const;
};
Result<BenchOperands> make_operands(cudaStream_t stream, const BenchCase& shape, Pass pass,
                                    Format format, WeightsLayout weights);

struct Contestant {
  Contest contest;
  std::function<Status()> launch;  // into the bench's stream
  const void* a = nullptr;         // what its samples index
  const void* b = nullptr;
  DeviceMemory out;
  Index out_bytes = 0;
  bool deterministic = true;
  oracle::Arithmetic arithmetic{};
  std::vector<SampledElement> samples;
  Digest digest{};  // of the answer before timing
};

// One tactic of a kernel. A case that its manifest excludes is the contest's trouble.
// Errors: out of memory.
Result<Contestant> kernel_contestant(const BenchOperands& operands, const LoadedKernel& kernel,
                                     const std::string& tactic, cudaStream_t stream);

// Equal work in one product: all rows times the first expert's weights; wgrad one gradient of all
// rows. A routing has no better case.
Result<Contestant> dense_contestant(const BenchOperands& operands, CublasLibrary& cublas);
// One product an expert, and zeros for the gradients of experts without rows.
Result<Contestant> loop_contestant(const BenchOperands& operands, CublasLibrary& cublas,
                                   cudaStream_t stream);
// cuBLAS's grouped product over the experts with rows, and the same zeros.
Result<Contestant> grouped_contestant(const BenchOperands& operands, CublasLibrary& cublas,
                                      cudaStream_t stream);
// A batch of equal products, every expert as large as the largest. The rows lie in padded buffers
// already: moving them there is not timed.
Result<Contestant> padded_contestant(const BenchOperands& operands, CublasLibrary& cublas,
                                     cudaStream_t stream);

}  // namespace assay
