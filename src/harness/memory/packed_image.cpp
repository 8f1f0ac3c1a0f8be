#include "src/harness/memory/packed_image.h"

#include "src/core/require.h"

namespace assay {

std::vector<std::byte> pack_codes(const DenseOperand& operand) {
  const FormatTraits& format = traits(operand.format);
  const Index packed = format.packed();
  ASSAY_REQUIRE(operand.cols % packed == 0, operand.cols);
  const Index bytes = stored_bytes(operand.format, operand.rows * operand.cols);
  std::vector<std::byte> stored(static_cast<std::size_t>(bytes));
  for (Index at = 0; at < bytes; ++at) {
    for (Index i = 0; i < packed; ++i) {
      stored[at] |= operand.bits[at * packed + i] << static_cast<int>(i * format.bits);
    }
  }
  return stored;
}

}  // namespace assay
