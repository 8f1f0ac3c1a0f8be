// AVX-512, chosen at run time. Conversions and transposes are AVX2's: the products take nearly all
// of the time.
#include "src/kernels/cpu/micro_avx2.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define ASSAY_AVX512 __attribute__((target("avx512f")))

namespace assay {
namespace {

constexpr Index kRows = 8;
constexpr Index kCols = 32;
constexpr Index kLanes = 16;

template <int kCount>
ASSAY_AVX512 void multiply_rows(Index depth, const float* a, const float* b, float* c) {
  __m512 low[kCount], high[kCount];
#pragma GCC unroll 16
  for (int row = 0; row < kCount; ++row) {
    low[row] = _mm512_loadu_ps(c + row * kTileCols);
    high[row] = _mm512_loadu_ps(c + row * kTileCols + kLanes);
  }
  for (Index step = 0; step < depth; ++step) {
    const __m512 b_low = _mm512_loadu_ps(b + step * kCols);
    const __m512 b_high = _mm512_loadu_ps(b + step * kCols + kLanes);
#pragma GCC unroll 16
    for (int row = 0; row < kCount; ++row) {
      const __m512 factor = _mm512_set1_ps(a[row * kPanelPitch + step]);
      low[row] = _mm512_fmadd_ps(factor, b_low, low[row]);
      high[row] = _mm512_fmadd_ps(factor, b_high, high[row]);
    }
  }
#pragma GCC unroll 16
  for (int row = 0; row < kCount; ++row) {
    _mm512_storeu_ps(c + row * kTileCols, low[row]);
    _mm512_storeu_ps(c + row * kTileCols + kLanes, high[row]);
  }
}

void multiply(Index rows, Index depth, const float* a, const float* b, float* c) {
  using Multiply = void (*)(Index, const float*, const float*, float*);
  static constexpr Multiply kByRows[] = {multiply_rows<1>, multiply_rows<2>, multiply_rows<3>,
                                         multiply_rows<4>, multiply_rows<5>, multiply_rows<6>,
                                         multiply_rows<7>, multiply_rows<8>};
  kByRows[rows - 1](depth, a, b, c);
}

}  // namespace

const Isa kAvx512Isa{"avx512", kRows, kCols, multiply, avx2_widen, avx2_narrow, avx2_transpose};

}  // namespace assay

#endif
