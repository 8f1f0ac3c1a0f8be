// Isa: what the cpu kernel needs from an instruction set. All implementations give the same bits.
#pragma once

#include <cstddef>

#include "src/core/index.h"
#include "src/problem/format.h"

namespace assay {

inline constexpr Index kTileCols = 128;   // output columns of every tile
inline constexpr Index kTileDepth = 256;  // reduction steps packed at a time
// Floats between packed rows of a; no power of two, or the rows would meet in the same cache sets.
inline constexpr Index kPanelPitch = kTileDepth + 16;

// `rows` lines of `count` neighbouring elements, and as many lines of floats.
struct Lines {
  Format format;
  Index rows, count;
  std::byte* elements;
  Index elements_pitch_bytes;
  float* floats;
  Index floats_pitch;
};

struct Isa {
  const char* name;
  Index panel_rows;  // rows of one multiply, at most
  Index panel_cols;  // divides kTileCols
  // c [rows, panel_cols] += a [rows, depth] b [depth, panel_cols], depth ascending, one fma a step.
  // Rows of a are kPanelPitch apart, rows of c kTileCols, rows of b adjoin. Requires: 1 <= rows <=
  // panel_rows.
  void (*multiply)(Index rows, Index depth, const float* a, const float* b, float* c);
  void (*widen)(const Lines& lines);   // floats = elements
  void (*narrow)(const Lines& lines);  // elements = floats, rounded to nearest even
  // to [cols, rows] = the transpose of from [rows, cols].
  void (*transpose)(const float* from, Index from_pitch, Index rows, Index cols, float* to,
                    Index to_pitch);
};

extern const Isa kPortableIsa;
#if defined(__x86_64__)
extern const Isa kAvx2Isa;
extern const Isa kAvx512Isa;
#endif

// The machine's best, or the one that ASSAY_CPU_ISA names; nullptr when it names none that this
// machine has.
const Isa* chosen_isa();

}  // namespace assay
