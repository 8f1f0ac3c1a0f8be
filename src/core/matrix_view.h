// A strided view of a matrix; the only place where a flat offset is formed from a row and a column.
#pragma once

#include "src/core/host_device.h"
#include "src/core/index.h"

namespace assay {

template <class T>
struct MatrixView {
  T* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index row_stride = 0;  // elements between neighbouring rows
  Index col_stride = 1;  // elements between neighbouring columns

  ASSAY_HOST_DEVICE constexpr T* address(Index row, Index col) const {
    return data + row * row_stride + col * col_stride;
  }
  ASSAY_HOST_DEVICE constexpr T& at(Index row, Index col) const { return *address(row, col); }
  ASSAY_HOST_DEVICE constexpr MatrixView transposed() const {
    return {data, cols, rows, col_stride, row_stride};
  }
  // The rows [first, first + count).
  ASSAY_HOST_DEVICE constexpr MatrixView row_block(Index first, Index count) const {
    return {address(first, 0), count, cols, row_stride, col_stride};
  }
  // The columns [first, first + count).
  ASSAY_HOST_DEVICE constexpr MatrixView col_block(Index first, Index count) const {
    return {address(0, first), rows, count, row_stride, col_stride};
  }
};

}  // namespace assay
