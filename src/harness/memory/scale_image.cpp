#include "src/harness/memory/scale_image.h"

#include <cstring>

namespace assay {
namespace {

// Where scales go: those of rows that no expert owns, and between columns, are NaN, or 1.
class ScaleImage {
 public:
  ScaleImage(const CaseSpec& spec, Role role, const DenseScales& scales, Index rows, Index groups,
             bool zero_padding)
      : scales_(scales),
        strides_(scale_strides(spec, role, rows, scales.cols)),
        size_(traits(scales.format).size_bytes),
        bytes_(static_cast<std::size_t>(groups * strides_.extent * size_)) {
    const std::uint32_t unowned =
        zero_padding ? encode(scales.format, 1) : traits(scales.format).nan;
    for (Index at = 0; at < std::ssize(bytes_); at += size_) {
      std::memcpy(bytes_.data() + at, &unowned, static_cast<std::size_t>(size_));
    }
  }

  // `count` rows of the grid from `first` on become those of a group from `to` on.
  void put(Index group, Index to, Index first, Index count) {
    for (Index row = 0; row < count; ++row) {
      for (Index col = 0; col < scales_.cols; ++col) {
        const Index at = group * strides_.extent + (to + row) * strides_.row + col * strides_.col;
        std::memcpy(bytes_.data() + at * size_, scales_.element(first + row, col),
                    static_cast<std::size_t>(size_));
      }
    }
  }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  const DenseScales& scales_;
  ScaleStrides strides_;
  Index size_;
  std::vector<std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> store_scales(const Problem& problem, Role role, bool zero_padding) {
  const DenseScales& scales = problem.scales[role];
  const CaseSpec& spec = problem.spec;
  if (role == Role::kW) {
    ScaleImage image(spec, role, scales, scales.first[1], spec.experts(), zero_padding);
    for (Index expert = 0; expert < spec.experts(); ++expert) {
      image.put(expert, 0, scales.first[expert], scales.first[expert + 1] - scales.first[expert]);
    }
    return image.take();
  }
  const Index rows = stored_scale_rows(problem, role);
  ScaleImage image(spec, role, scales, rows, 1, zero_padding);
  if (!scales.follows_rows()) {
    image.put(0, 0, 0, scales.rows);
    return image.take();
  }
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    image.put(0, problem.layout.starts[expert], scales.first[expert],
              problem.layout.counts[expert]);
  }
  return image.take();
}

Index stored_scale_rows(const Problem& problem, Role role) {
  const DenseScales& scales = problem.scales[role];
  return scales.follows_rows() ? problem.layout.physical_rows : scales.rows;
}

Index first_scale(const Problem& problem, Role role, Index expert) {
  const DenseScales& scales = problem.scales[role];
  const Index size = traits(scales.format).size_bytes;
  const bool by_expert = role == Role::kW;
  const Index rows = by_expert ? scales.first[1] : stored_scale_rows(problem, role);
  const ScaleStrides strides = scale_strides(problem.spec, role, rows, scales.cols);
  if (by_expert) { return expert * strides.extent * size; }
  const Index row = scales.follows_rows() ? problem.layout.starts[expert] : scales.first[expert];
  return row * strides.row * size;
}

}  // namespace assay
