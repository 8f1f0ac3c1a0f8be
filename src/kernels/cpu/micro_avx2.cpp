// AVX2, FMA and F16C, chosen at run time: the attributes below take the place of compiler flags.
#include "src/kernels/cpu/micro_avx2.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "src/kernels/element_codec.h"

#define ASSAY_AVX2 __attribute__((target("avx2,fma,f16c")))

namespace assay {
namespace {

constexpr Index kRows = 6;
constexpr Index kCols = 16;
constexpr Index kLanes = 8;

template <int kCount>
ASSAY_AVX2 void multiply_rows(Index depth, const float* a, const float* b, float* c) {
  __m256 low[kCount], high[kCount];
#pragma GCC unroll 8
  for (int row = 0; row < kCount; ++row) {
    low[row] = _mm256_loadu_ps(c + row * kTileCols);
    high[row] = _mm256_loadu_ps(c + row * kTileCols + kLanes);
  }
  for (Index step = 0; step < depth; ++step) {
    const __m256 b_low = _mm256_loadu_ps(b + step * kCols);
    const __m256 b_high = _mm256_loadu_ps(b + step * kCols + kLanes);
#pragma GCC unroll 8
    for (int row = 0; row < kCount; ++row) {
      const __m256 factor = _mm256_broadcast_ss(a + row * kPanelPitch + step);
      low[row] = _mm256_fmadd_ps(factor, b_low, low[row]);
      high[row] = _mm256_fmadd_ps(factor, b_high, high[row]);
    }
  }
#pragma GCC unroll 8
  for (int row = 0; row < kCount; ++row) {
    _mm256_storeu_ps(c + row * kTileCols, low[row]);
    _mm256_storeu_ps(c + row * kTileCols + kLanes, high[row]);
  }
}

void multiply(Index rows, Index depth, const float* a, const float* b, float* c) {
  using Multiply = void (*)(Index, const float*, const float*, float*);
  static constexpr Multiply kByRows[] = {multiply_rows<1>, multiply_rows<2>, multiply_rows<3>,
                                         multiply_rows<4>, multiply_rows<5>, multiply_rows<6>};
  kByRows[rows - 1](depth, a, b, c);
}

ASSAY_AVX2 __m128i load_halves(const std::byte* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

ASSAY_AVX2 __m256 bf16_as_floats(__m128i halves) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
}

// The low 16 bits of eight 32-bit lanes.
ASSAY_AVX2 void store_halves(std::byte* to, __m256i lanes) {
  const __m256i packed = _mm256_packus_epi32(lanes, lanes);
  const __m256i ordered = _mm256_permute4x64_epi64(packed, 0x08);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(ordered));
}

ASSAY_AVX2 __m256i floats_to_bf16(__m256 values) {
  const __m256i bits = _mm256_castps_si256(values);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i half = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
  const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, half), 16);
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(values, values, _CMP_UNORD_Q));
  return _mm256_blendv_epi8(rounded, _mm256_set1_epi32(0x7fc0), nan);
}

ASSAY_AVX2 __m256i floats_to_fp16(__m256 values) {
  const __m128i halves = _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(values, values, _CMP_UNORD_Q));
  return _mm256_blendv_epi8(_mm256_cvtepu16_epi32(halves), _mm256_set1_epi32(0x7e00), nan);
}

ASSAY_AVX2 void widen_line(Format format, const std::byte* from, Index count, float* to) {
  Index i = 0;
  if (format == Format::kBf16) {
    for (; i + kLanes <= count; i += kLanes) {
      _mm256_storeu_ps(to + i, bf16_as_floats(load_halves(from + 2 * i)));
    }
  } else if (format == Format::kFp16) {
    for (; i + kLanes <= count; i += kLanes) {
      _mm256_storeu_ps(to + i, _mm256_cvtph_ps(load_halves(from + 2 * i)));
    }
  }
  widen_run(format, from + i * element_bytes(format), count - i, to + i);
}

ASSAY_AVX2 void narrow_line(Format format, const float* from, Index count, std::byte* to) {
  Index i = 0;
  if (format == Format::kBf16) {
    for (; i + kLanes <= count; i += kLanes) {
      store_halves(to + 2 * i, floats_to_bf16(_mm256_loadu_ps(from + i)));
    }
  } else if (format == Format::kFp16) {
    for (; i + kLanes <= count; i += kLanes) {
      store_halves(to + 2 * i, floats_to_fp16(_mm256_loadu_ps(from + i)));
    }
  }
  narrow_run(format, from + i, count - i, to + i * element_bytes(format));
}

ASSAY_AVX2 void transpose_block(const float* from, Index from_pitch, float* to, Index to_pitch) {
  __m256 row[8], pair[8], quad[8];
  for (int i = 0; i < 8; ++i) { row[i] = _mm256_loadu_ps(from + i * from_pitch); }
  for (int i = 0; i < 8; i += 2) {
    pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
    pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    quad[i] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0x44);
    quad[i + 1] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0xee);
    quad[i + 2] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0x44);
    quad[i + 3] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(to + i * to_pitch, _mm256_permute2f128_ps(quad[i], quad[i + 4], 0x20));
    _mm256_storeu_ps(to + (i + 4) * to_pitch, _mm256_permute2f128_ps(quad[i], quad[i + 4], 0x31));
  }
}

}  // namespace

void avx2_widen(const Lines& lines) {
  for (Index row = 0; row < lines.rows; ++row) {
    widen_line(lines.format, lines.elements + row * lines.elements_pitch_bytes, lines.count,
               lines.floats + row * lines.floats_pitch);
  }
}

void avx2_narrow(const Lines& lines) {
  for (Index row = 0; row < lines.rows; ++row) {
    narrow_line(lines.format, lines.floats + row * lines.floats_pitch, lines.count,
                lines.elements + row * lines.elements_pitch_bytes);
  }
}

void avx2_transpose(const float* from, Index from_pitch, Index rows, Index cols, float* to,
                    Index to_pitch) {
  const Index whole_rows = rows - rows % kLanes;
  const Index whole_cols = cols - cols % kLanes;
  for (Index row = 0; row < whole_rows; row += kLanes) {
    for (Index col = 0; col < whole_cols; col += kLanes) {
      transpose_block(from + row * from_pitch + col, from_pitch, to + col * to_pitch + row,
                      to_pitch);
    }
  }
  for (Index row = 0; row < rows; ++row) {  // the columns and rows that fill no block
    for (Index col = row < whole_rows ? whole_cols : 0; col < cols; ++col) {
      to[col * to_pitch + row] = from[row * from_pitch + col];
    }
  }
}

const Isa kAvx2Isa{"avx2", kRows, kCols, multiply, avx2_widen, avx2_narrow, avx2_transpose};

}  // namespace assay

#endif
