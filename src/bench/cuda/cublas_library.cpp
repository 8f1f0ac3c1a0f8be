#include "src/bench/cuda/cublas_library.h"

#include <dlfcn.h>
#include <utility>

#include <fmt/format.h>

namespace assay {
namespace {

constexpr Index kWorkspaceBytes = Index{64} << 20;
constexpr float kOne = 1, kZero = 0;

cublasOperation_t operation(bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }
int narrow(Index size) { return static_cast<int>(size); }

// The header overloads these two for callers of older versions.
using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                  int, const void*, const void*, cudaDataType, int, const void*,
                                  cudaDataType, int, const void*, void*, cudaDataType, int,
                                  cublasComputeType_t, cublasGemmAlgo_t);
using StridedGemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,
                                         int, int, const void*, const void*, cudaDataType, int,
                                         long long, const void*, cudaDataType, int, long long,
                                         const void*, void*, cudaDataType, int, long long, int,
                                         cublasComputeType_t, cublasGemmAlgo_t);

std::string dl_reason() {
  const char* const text = dlerror();
  return text != nullptr ? text : "no reason given";
}

template <class Function>
Status find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function != nullptr) { return {}; }
  return make_error(fmt::format("the cuBLAS library lacks {}: {}", name, dl_reason()));
}

}  // namespace

GroupedGemm::GroupedGemm(const std::vector<ColumnGemm>& shapes)
    : sizes(shapes.size(), 1), ones(shapes.size(), kOne), zeros(shapes.size(), kZero) {
  for (const ColumnGemm& s : shapes) {
    a_operations.push_back(operation(s.a_transposed));
    b_operations.push_back(operation(s.b_transposed));
    rows.push_back(narrow(s.rows));
    cols.push_back(narrow(s.cols));
    depths.push_back(narrow(s.depth));
    a_lds.push_back(narrow(s.a_ld));
    b_lds.push_back(narrow(s.b_ld));
    c_lds.push_back(narrow(s.c_ld));
  }
}

struct CublasLibrary::Calls {
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasDestroy_v2) destroy = nullptr;
  decltype(&cublasGetVersion_v2) version = nullptr;
  decltype(&cublasSetStream_v2) set_stream = nullptr;
  decltype(&cublasSetWorkspace_v2) set_workspace = nullptr;
  decltype(&cublasSetMathMode) set_math_mode = nullptr;
  decltype(&cublasGetStatusString) status_text = nullptr;
  GemmEx gemm = nullptr;
  StridedGemmEx strided = nullptr;
  decltype(&cublasGemmGroupedBatchedEx) grouped = nullptr;

  Status find_all(void* library) {
    Status found = find(library, "cublasCreate_v2", create);
    if (found) { found = find(library, "cublasDestroy_v2", destroy); }
    if (found) { found = find(library, "cublasGetVersion_v2", version); }
    if (found) { found = find(library, "cublasSetStream_v2", set_stream); }
    if (found) { found = find(library, "cublasSetWorkspace_v2", set_workspace); }
    if (found) { found = find(library, "cublasSetMathMode", set_math_mode); }
    if (found) { found = find(library, "cublasGetStatusString", status_text); }
    if (found) { found = find(library, "cublasGemmEx", gemm); }
    if (found) { found = find(library, "cublasGemmStridedBatchedEx", strided); }
    if (found) { found = find(library, "cublasGemmGroupedBatchedEx", grouped); }
    return found;
  }
};

CublasLibrary::CublasLibrary(std::shared_ptr<void> library, std::unique_ptr<Calls> calls,
                             Format format)
    : library_(std::move(library)),
      calls_(std::move(calls)),
      type_(format == Format::kBf16 ? CUDA_R_16BF : CUDA_R_16F) {}

CublasLibrary::~CublasLibrary() {
  if (handle_ != nullptr) { (void)calls_->destroy(handle_); }
}

Result<std::unique_ptr<CublasLibrary>> CublasLibrary::open(cudaStream_t stream, Format format) {
  const std::string name = fmt::format("libcublas.so.{}", CUBLAS_VER_MAJOR);
  std::shared_ptr<void> library(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
    if (handle != nullptr) { dlclose(handle); }
  });
  if (library == nullptr) {
    return make_error(fmt::format("the baselines need {} (LD_LIBRARY_PATH names its folder): {}",
                                  name, dl_reason()));
  }
  auto calls = std::make_unique<Calls>();
  ASSAY_TRY(calls->find_all(library.get()));
  std::unique_ptr<CublasLibrary> opened(
      new CublasLibrary(std::move(library), std::move(calls), format));
  ASSAY_TRY(opened->start(stream));
  return opened;
}

// All contestants add in fp32, so cuBLAS may not store partial sums in 16 bits either.
Status CublasLibrary::start(cudaStream_t stream) {
  auto workspace = allocate(kWorkspaceBytes);
  ASSAY_TRY(workspace);
  workspace_ = std::move(*workspace);
  Status status = status_of(calls_->create(&handle_), "cublasCreate");
  if (status) { status = status_of(calls_->set_stream(handle_, stream), "cublasSetStream"); }
  if (status) {  // after the stream, which resets it
    status = status_of(calls_->set_workspace(handle_, workspace_.get(), kWorkspaceBytes),
                       "cublasSetWorkspace");
  }
  constexpr auto kMode = static_cast<cublasMath_t>(
      CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  if (status) { status = status_of(calls_->set_math_mode(handle_, kMode), "cublasSetMathMode"); }
  return status;
}

Status CublasLibrary::status_of(cublasStatus_t status, const char* call) const {
  if (status == CUBLAS_STATUS_SUCCESS) { return {}; }
  return make_error(fmt::format("{} returned {}", call, calls_->status_text(status)));
}

std::string CublasLibrary::version() const {
  int version = 0;
  if (calls_->version(handle_, &version) != CUBLAS_STATUS_SUCCESS) { return "unknown"; }
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

Status CublasLibrary::multiply(const BoundGemm& gemm) {
  const ColumnGemm& s = gemm.shape;
  return status_of(
      calls_->gemm(handle_, operation(s.a_transposed), operation(s.b_transposed), narrow(s.rows),
                   narrow(s.cols), narrow(s.depth), &kOne, gemm.a, type_, narrow(s.a_ld), gemm.b,
                   type_, narrow(s.b_ld), &kZero, gemm.c, type_, narrow(s.c_ld), CUBLAS_COMPUTE_32F,
                   CUBLAS_GEMM_DEFAULT),
      "cublasGemmEx");
}

Status CublasLibrary::multiply(const BatchedGemm& gemm) {
  const ColumnGemm& s = gemm.first.shape;
  return status_of(
      calls_->strided(handle_, operation(s.a_transposed), operation(s.b_transposed), narrow(s.rows),
                      narrow(s.cols), narrow(s.depth), &kOne, gemm.first.a, type_, narrow(s.a_ld),
                      gemm.a_pitch, gemm.first.b, type_, narrow(s.b_ld), gemm.b_pitch, &kZero,
                      gemm.first.c, type_, narrow(s.c_ld), gemm.c_pitch, gemm.count,
                      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
      "cublasGemmStridedBatchedEx");
}

Status CublasLibrary::multiply(const GroupedGemm& g) {
  if (g.sizes.empty()) { return {}; }
  return status_of(
      calls_->grouped(handle_, g.a_operations.data(), g.b_operations.data(), g.rows.data(),
                      g.cols.data(), g.depths.data(), g.ones.data(), g.a, type_, g.a_lds.data(),
                      g.b, type_, g.b_lds.data(), g.zeros.data(), g.c, type_, g.c_lds.data(),
                      static_cast<int>(g.sizes.size()), g.sizes.data(), CUBLAS_COMPUTE_32F),
      "cublasGemmGroupedBatchedEx");
}

}  // namespace assay
