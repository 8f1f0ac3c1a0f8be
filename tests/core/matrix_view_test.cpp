#include "src/core/matrix_view.h"

#include <array>
#include <numeric>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(MatrixView, FormsOffsetsFromStrides) {
  std::array<int, 24> memory{};
  std::iota(memory.begin(), memory.end(), 0);
  const MatrixView<int> view{memory.data(), 4, 5, 6, 1};
  EXPECT_EQ(view.at(2, 3), 15);
  EXPECT_EQ(view.transposed().at(3, 2), 15);
  EXPECT_EQ(view.transposed().rows, 5);
  EXPECT_EQ(view.row_block(1, 2).at(1, 3), 15);
  EXPECT_EQ(view.row_block(1, 2).rows, 2);
  EXPECT_EQ(view.col_block(2, 2).at(2, 1), 15);
  EXPECT_EQ(view.transposed().row_block(2, 2).at(1, 2), 15);
}

TEST(MatrixView, OffsetsGoBeyondThirtyTwoBits) {
  // An address that is never read: offsets from a null pointer are undefined.
  auto* const base = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);
  const MatrixView<std::byte> view{base, 1 << 20, 1 << 20, 1 << 20, 1};
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.address((1 << 20) - 1, (1 << 20) - 1)),
            (std::uintptr_t{1} << 41) - 1);
}

}  // namespace
}  // namespace assay
