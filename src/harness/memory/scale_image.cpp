#include "src/harness/memory/scale_image.h"

#include <cstring>

#include "src/problem/scale_places.h"

namespace assay {

std::vector<std::byte> store_scales(const Problem& problem, Role role, bool zero_padding) {
  const DenseScales& scales = problem.scales[role];
  const ScalePlaces places = scale_places(problem.spec, role, problem.layout, scales);
  const auto size = static_cast<std::size_t>(traits(scales.format).size_bytes);
  const std::uint32_t unowned = zero_padding ? encode(scales.format, 1) : traits(scales.format).nan;
  std::vector<std::byte> image(static_cast<std::size_t>(places.extent) * size);
  for (std::size_t at = 0; at < image.size(); at += size) {
    std::memcpy(image.data() + at, &unowned, size);
  }
  const Index experts = scales.shared ? 1 : problem.spec.experts();
  for (Index expert = 0; expert < experts; ++expert) {
    const Index first = scales.first[expert];
    const Index count = scales.shared ? 1 : scales.first[expert + 1] - first;
    for (Index row = 0; row < count; ++row) {
      for (Index col = 0; col < scales.cols; ++col) {
        std::memcpy(image.data() + static_cast<std::size_t>(places.at(expert, row, col)) * size,
                    scales.element(first + row, col), size);
      }
    }
  }
  return image;
}

}  // namespace assay
