#include "src/harness/memory/matrix_image.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "src/harness/memory/image_walk.h"
#include "src/harness/memory/sparse_image.h"

namespace assay {
namespace {

using Where = MemoryFault::Where;

bool is_real(const RowBlock& block) { return block.kind == RowBlock::Kind::kReal; }

const std::byte* zeros() {
  static const std::byte block[kPageBytes] = {};
  return block;
}

Index first_nonzero(const std::byte* at, Index bytes) {
  for (Index done = 0; done < bytes; done += kPageBytes) {
    const Index length = std::min(kPageBytes, bytes - done);
    if (std::memcmp(at + done, zeros(), length) == 0) { continue; }
    return done + (std::find_if(at + done, at + done + length,
                                [](std::byte b) { return b != std::byte{0}; }) -
                   (at + done));
  }
  return -1;
}

Index first_mismatch(const std::byte* at, const std::byte* expected, Index bytes) {
  if (std::memcmp(at, expected, bytes) == 0) { return -1; }
  return std::mismatch(at, at + bytes, expected).first - at;
}

MemoryFault fault_in_rows(const MatrixImage& image, const RowBlock& block, Index row, Index offset,
                          Index at, Where where) {
  const Index in_row = at % image.plan.row_bytes;
  return {.where = where,
          .operand = std::string(image.operand),
          .expert = block.expert,
          .row = block.first_row + row + at / image.plan.row_bytes,
          .col = in_row / size_bytes(image.plan.format) * traits(image.plan.format).packed(),
          .byte = offset + at};
}

// The gap's bytes that have memory: all of them, or those on pages that also hold rows.
template <class Visit>
void for_gap_with_memory(const MatrixImage& image, Index offset, Index bytes, Visit visit) {
  if (!image.sparse) { return visit(offset, bytes); }
  const Index begin = image.begin + offset;
  const Index end = begin + bytes;
  auto pages = std::lower_bound(image.row_pages.begin(), image.row_pages.end(), begin,
                                [](const PageRange& range, Index at) { return range.end <= at; });
  for (; pages != image.row_pages.end() && pages->begin < end; ++pages) {
    const Index from = std::max(begin, pages->begin);
    visit(from - image.begin, std::min(end, pages->end) - from);
  }
}

// Everything of the region below and above the operand.
template <class Visit>
void for_slack(const MatrixImage& image, Visit visit) {
  const Index above = image.begin + image.plan.extent_bytes;
  if (image.begin > 0) { for_gap_with_memory(image, -image.begin, image.begin, visit); }
  if (image.region->bytes() > above) {
    for_gap_with_memory(image, image.plan.extent_bytes, image.region->bytes() - above, visit);
  }
}

void write_rows(const MatrixImage& image, const RowBlock& block, Index row, Index offset,
                Index bytes) {
  std::byte* const to = image.base() + offset;
  if (is_real(block)) {
    if (image.dense != nullptr) {
      std::memcpy(to, image.dense + (block.dense_row + row) * image.plan.row_bytes, bytes);
    } else if (!image.keep_owned) {
      image.unwritten->fill(to, bytes, offset);
    }
  } else if (!image.output && image.zero_padding && block.kind == RowBlock::Kind::kPadding) {
    std::memset(to, 0, bytes);
  } else {
    image.poison->fill(to, bytes, offset);
  }
}

void inspect_input_rows(const MatrixImage& image, const RowBlock& block, Index row, Index offset,
                        Index bytes, FaultSet& faults) {
  const std::byte* const at = image.base() + offset;
  Index differs = -1;
  if (is_real(block)) {
    differs =
        first_mismatch(at, image.dense + (block.dense_row + row) * image.plan.row_bytes, bytes);
  } else if (image.zero_padding && block.kind == RowBlock::Kind::kPadding) {
    differs = first_nonzero(at, bytes);
  } else {
    differs = image.poison->first_difference(at, bytes, offset);
  }
  if (differs >= 0) {
    faults.add(fault_in_rows(image, block, row, offset, differs, Where::kInput));
  }
}

void inspect_output_rows(const MatrixImage& image, const RowBlock& block, Index row, Index offset,
                         Index bytes, FaultSet& faults, std::byte* owned, std::byte* not_owned) {
  const std::byte* const at = image.base() + offset;
  std::byte* const copies = is_real(block) ? owned : not_owned;
  std::memcpy(copies + (block.dense_row + row) * image.plan.row_bytes, at, bytes);
  if (is_real(block)) { return; }
  const bool tail = block.kind == RowBlock::Kind::kTail;
  const UnownedRows contract = tail ? image.tail_rows : image.padding_rows;
  if (contract == UnownedRows::kUndefined) { return; }
  const bool zeroed = contract == UnownedRows::kZeroed;
  const Index differs =
      zeroed ? first_nonzero(at, bytes) : image.poison->first_difference(at, bytes, offset);
  if (differs < 0) { return; }
  const Where where = tail ? Where::kTailRow : Where::kPaddingRow;
  MemoryFault fault = fault_in_rows(image, block, row, offset, differs, where);
  fault.not_zeroed = zeroed;
  faults.add(fault);
}

void inspect_poison(const MatrixImage& image, Index offset, Index bytes, Where where,
                    FaultSet& faults) {
  const Index differs = image.poison->first_difference(image.base() + offset, bytes, offset);
  if (differs < 0) { return; }
  faults.add({.where = where, .operand = std::string(image.operand), .byte = offset + differs});
}

void inspect_piece(const MatrixImage& image, const ImagePiece& piece, FaultSet& faults,
                   std::byte* owned, std::byte* not_owned) {
  walk_piece(
      image.plan, piece,
      [&](const RowBlock& block, Index row, Index, Index offset, Index bytes) {
        if (image.output) {
          inspect_output_rows(image, block, row, offset, bytes, faults, owned, not_owned);
        } else {
          inspect_input_rows(image, block, row, offset, bytes, faults);
        }
      },
      [&](Index offset, Index bytes) {
        for_gap_with_memory(image, offset, bytes, [&](Index at, Index length) {
          inspect_poison(image, at, length, Where::kGap, faults);
        });
      });
}

}  // namespace

void write_image(const MatrixImage& image) {
  if (image.sparse) { image.region->discard(); }
  const auto poison = [&](Index offset, Index bytes) {
    for_gap_with_memory(image, offset, bytes, [&](Index at, Index length) {
      image.poison->fill(image.base() + at, length, at);
    });
  };
  for_slack(image,
            [&](Index at, Index length) { image.poison->fill(image.base() + at, length, at); });
  if (image.plan.blocks.empty()) { return poison(0, image.plan.extent_bytes); }
  const std::vector<ImagePiece> pieces = image_pieces(image.plan);
  for_each_piece(image.plan, pieces, [&](Index, const ImagePiece& piece) {
    walk_piece(
        image.plan, piece,
        [&](const RowBlock& block, Index row, Index, Index offset, Index bytes) {
          write_rows(image, block, row, offset, bytes);
        },
        poison);
  });
}

void inspect_image(const MatrixImage& image, FaultSet& faults, std::byte* owned,
                   std::byte* not_owned) {
  const std::vector<ImagePiece> pieces = image_pieces(image.plan);
  std::mutex mutex;
  std::map<Index, FaultSet> found;  // by piece: threads finish in any order
  for_each_piece(image.plan, pieces, [&](Index i, const ImagePiece& piece) {
    FaultSet here;
    inspect_piece(image, piece, here, owned, not_owned);
    if (here.empty()) { return; }
    const std::lock_guard lock(mutex);
    found[i] = std::move(here);
  });
  for (const auto& [i, each] : found) { faults.merge(each); }
  for_slack(image, [&](Index at, Index length) {
    inspect_poison(image, at, length, Where::kGuard, faults);
  });
  if (image.sparse) { inspect_holes(image, faults); }
}

}  // namespace assay
