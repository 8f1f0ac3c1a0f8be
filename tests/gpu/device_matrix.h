// DeviceMatrix: a copy of a matrix, gaps included, in memory of a device.
#pragma once

#include "oracle/product.h"
#include "src/core/require.h"
#include "src/harness/device/device.h"

namespace assay {

class DeviceMatrix {
 public:
  // A matrix without data has no copy.
  DeviceMatrix(Device& device, const oracle::Matrix& matrix) : device_(device), matrix_(matrix) {
    if (matrix.data == nullptr) { return; }
    // Its distance from 16 bytes' multiples stays what it is.
    const Index shift = static_cast<Index>(reinterpret_cast<std::uintptr_t>(matrix.data) % 16);
    const Index bytes = matrix.address(matrix.rows - 1, matrix.cols - 1) -
                        static_cast<const char*>(matrix.data) + element_bytes();
    const auto block = device.map(bytes + shift);
    ASSAY_REQUIRE(block.has_value(), bytes);
    block_ = *block;
    first_ = block_.address + static_cast<DeviceAddress>(shift);
    matrix_.data = reinterpret_cast<const void*>(first_);
    upload(first_, matrix.data, bytes);
  }
  ~DeviceMatrix() {
    if (block_.bytes > 0) { device_.unmap(block_); }
  }
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;

  const oracle::Matrix& matrix() const { return matrix_; }
  void upload_element(const oracle::Matrix& from, Index row, Index col) {
    const char* const at = from.address(row, col);
    upload(first_ + static_cast<DeviceAddress>(at - static_cast<const char*>(from.data)), at,
           element_bytes());
  }

 private:
  Index element_bytes() const { return oracle::shape(matrix_.format).size_bytes; }
  void upload(DeviceAddress to, const void* from, Index bytes) {
    Status status = device_.upload(0, to, static_cast<const std::byte*>(from), bytes);
    if (status) { status = device_.wait(0); }
    ASSAY_REQUIRE(status.has_value(), bytes);
  }

  Device& device_;
  oracle::Matrix matrix_;
  DeviceBlock block_;
  DeviceAddress first_ = 0;
};

}  // namespace assay
