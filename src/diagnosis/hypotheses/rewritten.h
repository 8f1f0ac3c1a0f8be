// A dense copy of a matrix with other codes: what a kernel makes of its operand.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "src/diagnosis/evidence.h"

namespace assay {

struct Rewritten {
  oracle::Matrix matrix;  // of `format`, the scales as they were
  std::shared_ptr<const std::vector<std::byte>> storage;
};

// code(row, col) gives each code in `format`; nothing where all are as they were.
template <class Code>
std::optional<Rewritten> rewritten(const oracle::Matrix& from, oracle::Format format,
                                   const Code& code) {
  const Index size = oracle::shape(format).size_bytes;
  auto storage = std::make_shared<std::vector<std::byte>>(
      static_cast<std::size_t>(from.rows * from.cols * size));
  bool any = format != from.format;
  for (Index row = 0; row < from.rows; ++row) {
    for (Index col = 0; col < from.cols; ++col) {
      const std::uint32_t bits = code(row, col);
      any |= bits != from.bits(row, col);
      oracle::store(format, storage->data() + (row * from.cols + col) * size, bits);
    }
  }
  if (!any) { return std::nullopt; }
  oracle::Matrix matrix{.data = storage->data(),
                        .format = format,
                        .rows = from.rows,
                        .cols = from.cols,
                        .row_stride = from.cols,
                        .scales = from.scales};
  return Rewritten{matrix, std::move(storage)};
}

}  // namespace assay
