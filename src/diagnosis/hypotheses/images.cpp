#include "src/diagnosis/hypotheses/images.h"

#include <algorithm>
#include <limits>

namespace assay {
namespace {

Image empty_image(Format format, Index elements) {
  Image image(static_cast<std::size_t>(elements * size_bytes(format)));
  const std::uint32_t nan = encode(format, std::numeric_limits<double>::quiet_NaN());
  for (Index i = 0; i < elements; ++i) {
    store_bits(format, image.data() + i * size_bytes(format), nan);
  }
  return image;
}

void copy_row(const DenseOperand& from, Index row, Image& to, Index first_element) {
  const std::byte* source = from.element(row, 0);
  std::copy(source, source + from.cols * size_bytes(from.format),
            to.begin() + first_element * size_bytes(from.format));
}

// Up to the end of the last expert's padding; what comes then is tail.
void clear_padding(const Problem& problem, Format format, const Places& places, Image& image) {
  Index end = 0;
  for (std::size_t g = 0; g < problem.layout.starts.size(); ++g) {
    end = std::max(end, align_up(problem.layout.starts[g] + problem.layout.counts[g],
                                 std::max<Index>(problem.spec.pad, 1)));
  }
  const Index bytes = std::min(end, places.rows) * places.row_pitch * size_bytes(format);
  std::fill(image.begin(), image.begin() + bytes, std::byte{0});
}

}  // namespace

Image image_of_weights(const Problem& problem, const Places& places) {
  const DenseOperand& w = problem.operands.w;
  Image image = empty_image(w.format, problem.spec.experts() * places.expert_pitch + places.spare);
  const std::vector<Index> of_expert = weight_places(problem.spec);
  for (Index row = 0; row < w.rows; ++row) {
    copy_row(
        w, row, image,
        of_expert[row / places.rows] * places.expert_pitch + row % places.rows * places.row_pitch);
  }
  return image;
}

Image image_of_rows(const Problem& problem, Role role, const Places& places,
                    bool padding_is_clear) {
  const DenseOperand& operand = problem.operands[role];
  Image image = empty_image(operand.format, places.rows * places.row_pitch + places.spare);
  if (padding_is_clear) { clear_padding(problem, operand.format, places, image); }
  for (std::size_t g = 0; g < problem.layout.starts.size(); ++g) {
    for (Index row = 0; row < problem.layout.counts[g]; ++row) {
      copy_row(operand, problem.dense_starts[g] + row, image,
               (problem.layout.starts[g] + row) * places.row_pitch);
    }
  }
  return image;
}

}  // namespace assay
