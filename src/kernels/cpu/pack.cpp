#include "src/kernels/cpu/pack.h"

#include <algorithm>

#include "src/kernels/element_codec.h"

namespace assay {
namespace {

enum class Contiguous : std::uint8_t { kRows, kCols, kNeither };

Contiguous direction(const ElementMatrix& matrix) {
  if (is_packed(matrix.format)) { return Contiguous::kNeither; }
  const Index size = element_bytes(matrix.format);
  return matrix.bytes.col_stride == size   ? Contiguous::kRows
         : matrix.bytes.row_stride == size ? Contiguous::kCols
                                           : Contiguous::kNeither;
}

Lines lines_of(const ElementMatrix& matrix, Index row, Index col, Index rows, Index count,
               float* floats, Index pitch) {
  return {matrix.format,           rows,   count, matrix.address(row, col),
          matrix.bytes.row_stride, floats, pitch};
}

// The block of `matrix` at (row, col), row i at to + i * pitch.
void widen_block(const Isa& isa, const ElementMatrix& matrix, const BlockRange& rows,
                 const BlockRange& cols, float* strip, float* to, Index pitch) {
  switch (direction(matrix)) {
    case Contiguous::kRows:
      isa.widen(lines_of(matrix, rows.first, cols.first, rows.count, cols.count, to, pitch));
      return;
    case Contiguous::kCols:
      for (Index col = 0; col < cols.count; col += kStripLines) {
        const Index lines = std::min(kStripLines, cols.count - col);
        isa.widen(lines_of(matrix.transposed(), cols.first + col, rows.first, lines, rows.count,
                           strip, kPanelPitch));
        isa.transpose(strip, kPanelPitch, lines, rows.count, to + col, pitch);
      }
      return;
    case Contiguous::kNeither:
      for (Index row = 0; row < rows.count; ++row) {
        for (Index col = 0; col < cols.count; ++col) {
          to[row * pitch + col] = matrix.at(rows.first + row, cols.first + col);
        }
      }
  }
}

void narrow_block(const Isa& isa, const float* from, const BlockRange& rows, const BlockRange& cols,
                  float* strip, const ElementMatrix& matrix) {
  float* floats = const_cast<float*>(from);  // Lines serves both directions; narrow reads them only
  switch (direction(matrix)) {
    case Contiguous::kRows:
      isa.narrow(
          lines_of(matrix, rows.first, cols.first, rows.count, cols.count, floats, kTileCols));
      return;
    case Contiguous::kCols:
      for (Index col = 0; col < cols.count; col += kStripLines) {
        const Index lines = std::min(kStripLines, cols.count - col);
        isa.transpose(from + col, kTileCols, rows.count, lines, strip, kPanelPitch);
        isa.narrow(lines_of(matrix.transposed(), cols.first + col, rows.first, lines, rows.count,
                            strip, kPanelPitch));
      }
      return;
    case Contiguous::kNeither:
      for (Index row = 0; row < rows.count; ++row) {
        for (Index col = 0; col < cols.count; ++col) {
          narrow(matrix.format, from[row * kTileCols + col],
                 matrix.address(rows.first + row, cols.first + col));
        }
      }
  }
}

}  // namespace

void pack_a(const Isa& isa, const ElementMatrix& a, const BlockRange& rows, const BlockRange& steps,
            float* strip, float* to) {
  widen_block(isa, a, rows, steps, strip, to, kPanelPitch);
}

void pack_b(const Isa& isa, const ElementMatrix& b, const BlockRange& steps, const BlockRange& cols,
            float* strip, float* to) {
  const Index width = isa.panel_cols;
  for (Index panel = 0; panel < blocks_of(cols.count, width); ++panel) {
    const BlockRange own = block_range(cols.count, width, panel);
    float* panel_to = to + panel * steps.count * width;
    if (is_tail(own, width)) { std::fill_n(panel_to, steps.count * width, 0.0f); }
    widen_block(isa, b, steps, {cols.first + own.first, own.count}, strip, panel_to, width);
  }
}

void store_tile(const Isa& isa, float* sums, const BlockRange& rows, const BlockRange& cols,
                float* strip, const ElementMatrix& out) {
  for (Index col = 0; out.bias.present() && col < cols.count; ++col) {
    const float bias = out.bias.at(cols.first + col);
    for (Index row = 0; row < rows.count; ++row) { sums[row * kTileCols + col] += bias; }
  }
  for (Index row = 0; out.scale != 1 && row < rows.count; ++row) {
    for (Index at = row * kTileCols; at < row * kTileCols + cols.count; ++at) {
      sums[at] *= out.scale;
    }
  }
  narrow_block(isa, sums, rows, cols, strip, out);
}

void load_tile(const Isa& isa, const ElementMatrix& out, const BlockRange& rows,
               const BlockRange& cols, float* strip, float* sums) {
  widen_block(isa, out, rows, cols, strip, sums, kTileCols);
}

}  // namespace assay
