// Packing: blocks of the operands as floats, laid out for Isa::multiply.
#pragma once

#include "src/kernels/call_view.h"
#include "src/kernels/cpu/isa.h"
#include "src/kernels/schedule/tile_shape.h"

namespace assay {

// Lines transposed at a time, kPanelPitch apart in `strip`. At least every Isa's panel_cols.
inline constexpr Index kStripLines = 32;

// rows `rows` and steps `steps` of a [m, depth], row i at to + i * kPanelPitch. Requires: at most
// kPanelPitch rows, kTileDepth steps.
void pack_a(const Isa& isa, const ElementMatrix& a, const BlockRange& rows, const BlockRange& steps,
            float* strip, float* to);

// steps `steps` and columns `cols` of b [depth, n] in panels of isa.panel_cols columns, panel p at
// to + p * steps.count * panel_cols, zeros beyond the last column. Requires: kTileCols columns,
// kTileDepth steps at most.
void pack_b(const Isa& isa, const ElementMatrix& b, const BlockRange& steps, const BlockRange& cols,
            float* strip, float* to);

// Rows and columns of out [m, n] from sums whose rows are kTileCols apart, times out's scale where
// that is not 1, rounded once.
void store_tile(const Isa& isa, float* sums, const BlockRange& rows, const BlockRange& cols,
                float* strip, const ElementMatrix& out);

// The reverse, where the output is accumulated into.
void load_tile(const Isa& isa, const ElementMatrix& out, const BlockRange& rows,
               const BlockRange& cols, float* strip, float* sums);

}  // namespace assay
