#include "src/harness/memory/sparse_image.h"

#include <algorithm>

#include "src/harness/memory/image_walk.h"
#include "src/harness/memory/matrix_image.h"

namespace assay {
namespace {

constexpr Index kSparseFromBytes = Index{256} << 20;
constexpr Index kSparseRatio = 8;

void inspect_zero(const MatrixImage& image, Index begin, Index end, FaultSet& faults) {
  const std::byte* const from = image.region->data() + begin;
  const std::byte* const to = image.region->data() + end;
  const std::byte* const wrong =
      std::find_if(from, to, [](std::byte b) { return b != std::byte{0}; });
  if (wrong == to) { return; }
  const Index byte = wrong - image.base();
  const bool outside = byte < 0 || byte >= image.plan.extent_bytes;
  faults.add({.where = outside ? MemoryFault::Where::kGuard : MemoryFault::Where::kGap,
              .operand = std::string(image.operand),
              .byte = byte});
}

}  // namespace

bool is_sparse(Index extent_bytes, Index element_bytes) {
  return extent_bytes >= kSparseFromBytes && extent_bytes / kSparseRatio > element_bytes;
}

std::vector<PageRange> pages_with_rows(const OperandPlan& plan, Index begin) {
  std::vector<PageRange> pages;
  for (const ImagePiece& piece : image_pieces(plan)) {
    walk_piece(
        plan, piece,
        [&](const RowBlock&, Index, Index, Index offset, Index bytes) {
          const Index first = (begin + offset) / kPageBytes * kPageBytes;
          const Index end = (begin + offset + bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
          if (!pages.empty() && first <= pages.back().end) {
            pages.back().end = std::max(end, pages.back().end);
          } else {
            pages.push_back({first, end});
          }
        },
        [](Index, Index) {});
  }
  return pages;
}

void inspect_holes(const MatrixImage& image, FaultSet& faults) {
  auto next_rows = image.row_pages.begin();
  const auto end = image.row_pages.end();
  const RegionFile file = image.region->file();
  const Index size = file.bytes;
  for (Index data = file.next_data(0); data < size;) {
    const Index data_end = file.next_hole(data);
    Index at = data;
    while (at < data_end) {
      while (next_rows != end && next_rows->end <= at) { ++next_rows; }
      const Index rows_begin = next_rows == end ? size : next_rows->begin;
      if (at < rows_begin) { inspect_zero(image, at, std::min(data_end, rows_begin), faults); }
      at = next_rows == end ? data_end : std::max(at, next_rows->end);
    }
    data = file.next_data(data_end);
  }
}

}  // namespace assay
