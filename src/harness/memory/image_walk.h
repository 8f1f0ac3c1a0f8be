// Walks an operand's bytes in order: rows of one kind, then the gap up to what comes next. Large
// operands are cut into pieces that threads share.
#pragma once

#include <algorithm>
#include <vector>

#include "src/core/parallel.h"
#include "src/harness/memory/operand_plan.h"

namespace assay {

struct ImagePiece {
  Index block = 0;
  Index first = 0, last = 0;  // rows of the block
};

inline constexpr Index kPieceBytes = Index{4} << 20;

// One piece for each block, or more where a block is large.
inline std::vector<ImagePiece> image_pieces(const OperandPlan& plan) {
  std::vector<ImagePiece> pieces;
  const Index rows_each = std::max<Index>(1, kPieceBytes / std::max<Index>(1, plan.row_bytes));
  for (Index b = 0; b < static_cast<Index>(plan.blocks.size()); ++b) {
    const Index rows = plan.blocks[b].rows;
    for (Index first = 0; first < rows; first += rows_each) {
      pieces.push_back({b, first, std::min(rows, first + rows_each)});
    }
  }
  return pieces;
}

// on_rows(block, first row of the block, rows, offset, bytes): rows that lie side by side, offset
// from the operand's first byte. on_gap(offset, bytes): bytes up to the next row, block or the
// operand's end.
template <class OnRows, class OnGap>
void walk_piece(const OperandPlan& plan, const ImagePiece& piece, OnRows on_rows, OnGap on_gap) {
  const RowBlock& block = plan.blocks[piece.block];
  const bool last_block = piece.block + 1 == static_cast<Index>(plan.blocks.size());
  const Index block_end = last_block ? plan.extent_bytes : plan.blocks[piece.block + 1].byte;
  const bool dense = plan.row_bytes == plan.pitch_bytes;
  const Index step = dense ? piece.last - piece.first : 1;
  for (Index row = piece.first; row < piece.last; row += step) {
    const Index offset = block.byte + row * plan.pitch_bytes;
    const Index bytes = step * plan.row_bytes;
    const Index next =
        row + step == block.rows ? block_end : block.byte + (row + step) * plan.pitch_bytes;
    on_rows(block, row, step, offset, bytes);
    if (next > offset + bytes) { on_gap(offset + bytes, next - offset - bytes); }
  }
}

// Calls visit(piece index, piece) for all pieces; by threads when the operand is large.
template <class Visit>
void for_each_piece(const OperandPlan& plan, const std::vector<ImagePiece>& pieces, Visit visit) {
  const bool large = plan.element_bytes() >= 2 * kPieceBytes;
  parallel_for(static_cast<Index>(pieces.size()), large ? 0 : 1,
               [&](int, Index i) { visit(i, pieces[i]); });
}

}  // namespace assay
