#include "src/harness/memory/scale_image.h"

#include <cstring>

namespace assay {
namespace {

// Row i of an operand has row i of its scales.
std::vector<std::byte> by_physical_rows(const Problem& problem, const DenseScales& scales,
                                        bool zero_padding) {
  const Index size = traits(scales.format).size_bytes;
  const Index row_bytes = scales.cols * size;
  const Index rows = problem.layout.physical_rows;
  std::vector<std::byte> image(static_cast<std::size_t>(rows * row_bytes));
  const std::uint32_t unowned = zero_padding ? encode(scales.format, 1) : traits(scales.format).nan;
  for (std::size_t at = 0; at < image.size(); at += static_cast<std::size_t>(size)) {
    std::memcpy(image.data() + at, &unowned, static_cast<std::size_t>(size));
  }
  for (Index expert = 0; expert < problem.spec.experts(); ++expert) {
    const Index count = problem.layout.counts[expert];
    if (count == 0) { continue; }
    std::memcpy(image.data() + problem.layout.starts[expert] * row_bytes,
                scales.element(scales.first[expert], 0),
                static_cast<std::size_t>(count * row_bytes));
  }
  return image;
}

// Each expert's blocks of k beside each other, as its weights are.
std::vector<std::byte> columns_first(const DenseScales& scales, Index experts) {
  const Index size = traits(scales.format).size_bytes;
  std::vector<std::byte> image(scales.bits.size());
  std::byte* to = image.data();
  for (Index expert = 0; expert < experts; ++expert) {
    for (Index col = 0; col < scales.cols; ++col) {
      for (Index row = scales.first[expert]; row < scales.first[expert + 1]; ++row, to += size) {
        std::memcpy(to, scales.element(row, col), static_cast<std::size_t>(size));
      }
    }
  }
  return image;
}

}  // namespace

std::vector<std::byte> store_scales(const Problem& problem, Role role, bool zero_padding) {
  const DenseScales& scales = problem.scales[role];
  if (role == Role::kW) {
    const bool enk = problem.spec.weights == WeightsLayout::kEnk;
    return enk ? columns_first(scales, problem.spec.experts()) : scales.bits;
  }
  return scales.follows_rows() ? by_physical_rows(problem, scales, zero_padding) : scales.bits;
}

Index first_scale(const Problem& problem, Role role, Index expert) {
  const DenseScales& scales = problem.scales[role];
  const Index row = scales.follows_rows() ? problem.layout.starts[expert] : scales.first[expert];
  return row * scales.cols * traits(scales.format).size_bytes;
}

}  // namespace assay
