#include <cuda_runtime.h>

#include "src/kernels/cuda/sm90/tensor_map.cuh"

namespace assay {
namespace {

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

// From the driver itself: nothing links to it.
EncodeTiled find_encode_tiled() {
  constexpr unsigned kSince = 12000;
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry,
                                                             kSince, cudaEnableDefault, &found);
  if (error != cudaSuccess || found != cudaDriverEntryPointSuccess) { return nullptr; }
  return reinterpret_cast<EncodeTiled>(entry);
}

EncodeTiled encode_tiled() {
  static const EncodeTiled entry = find_encode_tiled();
  return entry;
}

// A map needs a base even where no row will be read.
alignas(64) __device__ unsigned char unused_base[64];

}  // namespace

TensorMapMaker::TensorMapMaker() {
  if (encode_tiled() == nullptr) { error_ = "the driver has no cuTensorMapEncodeTiled"; }
}

CUtensorMap TensorMapMaker::encode(const DeviceMatrix& matrix, unsigned rank,
                                   const cuuint64_t* dims, const cuuint64_t* strides,
                                   const cuuint32_t* box) {
  CUtensorMap map{};
  if (error_ != nullptr) { return map; }
  void* base = matrix.data;
  if (matrix.rows == 0 || base == nullptr) {
    if (cudaGetSymbolAddress(&base, unused_base) != cudaSuccess) {
      error_ = "no address for an operand without rows";
      return map;
    }
  }
  const cuuint32_t element_strides[4] = {1, 1, 1, 1};
  const CUtensorMapDataType type = matrix.element == DeviceElement::kBf16
                                       ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                       : CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  const CUresult result =
      encode_tiled()(&map, type, rank, base, dims, strides, box, element_strides,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                     CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) { error_ = "cuTensorMapEncodeTiled refuses an operand"; }
  return map;
}

CUtensorMap TensorMapMaker::stack(const DeviceMatrix& matrix, int box_rows) {
  const cuuint64_t dims[3] = {static_cast<cuuint64_t>(matrix.cols),
                              static_cast<cuuint64_t>(matrix.rows),
                              static_cast<cuuint64_t>(matrix.matrices)};
  const cuuint64_t strides[2] = {static_cast<cuuint64_t>(matrix.ld * matrix.bytes()),
                                 static_cast<cuuint64_t>(matrix.pitch * matrix.bytes())};
  const cuuint32_t box[3] = {64, static_cast<cuuint32_t>(box_rows), 1};
  return encode(matrix, 3, dims, strides, box);
}

CUtensorMap TensorMapMaker::ragged(const DeviceMatrix& matrix, int box_rows) {
  constexpr cuuint64_t kRows = cuuint64_t{1} << 30, kAny = (cuuint64_t{1} << 31) - 1;
  constexpr cuuint64_t kWrap = cuuint64_t{1} << 34;  // kRows * kWrap = 2^64
  const auto ld = static_cast<cuuint64_t>(matrix.ld * matrix.bytes());
  const cuuint64_t dims[4] = {static_cast<cuuint64_t>(matrix.cols), kRows, kAny, kAny};
  const cuuint64_t strides[3] = {ld, kWrap - ld, ld};
  const cuuint32_t box[4] = {64, static_cast<cuuint32_t>(box_rows), 1, 1};
  return encode(matrix, 4, dims, strides, box);
}

}  // namespace assay
