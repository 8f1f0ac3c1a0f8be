// The portable instruction set: std::fma, one output after another.
#include <cmath>

#include "src/kernels/cpu/isa.h"
#include "src/kernels/element_codec.h"

namespace assay {
namespace {

constexpr Index kRows = 4;
constexpr Index kCols = 8;

void multiply(Index rows, Index depth, const float* a, const float* b, float* c) {
  for (Index row = 0; row < rows; ++row) {
    for (Index step = 0; step < depth; ++step) {
      const float factor = a[row * kPanelPitch + step];
      for (Index col = 0; col < kCols; ++col) {
        float& sum = c[row * kTileCols + col];
        sum = std::fma(factor, b[step * kCols + col], sum);
      }
    }
  }
}

void widen_lines(const Lines& lines) {
  for (Index row = 0; row < lines.rows; ++row) {
    widen_run(lines.format, lines.elements + row * lines.elements_pitch_bytes, lines.count,
              lines.floats + row * lines.floats_pitch);
  }
}

void narrow_lines(const Lines& lines) {
  for (Index row = 0; row < lines.rows; ++row) {
    narrow_run(lines.format, lines.floats + row * lines.floats_pitch, lines.count,
               lines.elements + row * lines.elements_pitch_bytes);
  }
}

void transpose(const float* from, Index from_pitch, Index rows, Index cols, float* to,
               Index to_pitch) {
  for (Index col = 0; col < cols; ++col) {
    for (Index row = 0; row < rows; ++row) {
      to[col * to_pitch + row] = from[row * from_pitch + col];
    }
  }
}

}  // namespace

const Isa kPortableIsa{"portable", kRows, kCols, multiply, widen_lines, narrow_lines, transpose};

}  // namespace assay
