#include "oracle/model/model_lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "oracle/fast/simd.h"

namespace assay::oracle {
namespace {

constexpr int kDoubleFraction = 52;
constexpr double kSmallestNormal = 0x1p-126;  // of fp32, the accumulator
constexpr double kBeyondFp32 = 0x1p128;
// Below every exponent of a product: what aligns a step whose terms are all zero.
constexpr double kNoExponent = 0x1p-300;

ASSAY_SIMD_BODY double exponent_power(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value) & 0x7FF0000000000000;
  const double power = std::max(std::bit_cast<double>(bits), kSmallestNormal);
  return value == 0 ? 0 : power;
}

// 2^fraction_bits / power, for a power of two.
ASSAY_SIMD_BODY double scale_for(double power, int fraction_bits) {
  const auto exponent = static_cast<std::uint64_t>(2046 + fraction_bits) << kDoubleFraction;
  return std::bit_cast<double>(exponent - std::bit_cast<std::uint64_t>(power));
}

struct Rounding {
  std::uint64_t kept;         // mask of the bits that survive
  double grid, grid_inverse;  // of fp32 subnormals with `out` fraction bits
  double flush_below;
};

ASSAY_SIMD_BODY double cut_sum(double sum, const Rounding& rounding) {
  const double cut = std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) & rounding.kept);
  const double on_grid = std::trunc(sum * rounding.grid_inverse) * rounding.grid;
  const double result = std::abs(sum) < kSmallestNormal ? on_grid : cut;
  return std::abs(result) < rounding.flush_below ? std::copysign(0.0, result) : result;
}

ASSAY_SIMD_BODY void one_step(const double* row, const double* row_power, const double* panel,
                              const double* panel_power, Index count, int fraction_bits,
                              const Rounding& rounding, double* accumulators, double* overflow) {
  double power[kLanes], scale[kLanes], sum[kLanes];
  for (Index lane = 0; lane < kLanes; ++lane) {
    power[lane] = std::max(exponent_power(accumulators[lane]), kNoExponent);
  }
  for (Index k = 0; k < count; ++k) {
    for (Index lane = 0; lane < kLanes; ++lane) {
      power[lane] = std::max(power[lane], row_power[k] * panel_power[k * kLanes + lane]);
    }
  }
  for (Index lane = 0; lane < kLanes; ++lane) {
    scale[lane] = scale_for(power[lane], fraction_bits);
    sum[lane] = 0.0 + std::trunc(accumulators[lane] * scale[lane]);
  }
  for (Index k = 0; k < count; ++k) {
    for (Index lane = 0; lane < kLanes; ++lane) {
      sum[lane] += std::trunc(row[k] * panel[k * kLanes + lane] * scale[lane]);
    }
  }
  for (Index lane = 0; lane < kLanes; ++lane) {
    const double unit = 1 / scale[lane];
    accumulators[lane] = cut_sum(sum[lane] * unit, rounding);
    // NaN fails the comparison too.
    overflow[lane] = std::abs(accumulators[lane]) < kBeyondFp32 ? overflow[lane] : 1.0;
  }
}

ASSAY_SIMD_BODY void steps_body(const StepOperands& operands, const StepParameters& parameters,
                                double* accumulators, bool* beyond) {
  const Rounding rounding{
      .kept = ~((std::uint64_t{1} << (kDoubleFraction - parameters.out_bits)) - 1),
      .grid = std::ldexp(kSmallestNormal, -parameters.out_bits),
      .grid_inverse = std::ldexp(1 / kSmallestNormal, parameters.out_bits),
      .flush_below = parameters.flushes ? kSmallestNormal : 0.0};
  double sums[kLanes], overflow[kLanes] = {};
  std::copy_n(accumulators, kLanes, sums);
  const Index length = parameters.products_per_step;
  for (Index first = 0; first < operands.k; first += length) {
    const Index count = std::min(length, operands.k - first);
    const double* panel = operands.panel + first * kLanes;
    const double* panel_power = operands.panel_power + first * kLanes;
    one_step(operands.row + first, operands.row_power + first, panel, panel_power, count,
             parameters.fraction_bits, rounding, sums, overflow);
  }
  std::copy_n(sums, kLanes, accumulators);
  for (Index lane = 0; lane < kLanes; ++lane) { beyond[lane] = overflow[lane] != 0; }
}

template <bool kFlushes>
ASSAY_SIMD_BODY float flush(float value) {
  if constexpr (kFlushes) {
    return std::abs(value) < static_cast<float>(kSmallestNormal) ? std::copysign(0.0F, value)
                                                                 : value;
  }
  return value;
}

template <bool kFused, bool kFlushes>
ASSAY_SIMD_BODY void fp32_chain(const Fp32Operands& operands, float* accumulators) {
  float sums[kLanes];
  std::copy_n(accumulators, kLanes, sums);
  for (Index k = 0; k < operands.k; ++k) {
    const float a = operands.row[k];
    const float* b = operands.panel + k * kLanes;
    for (Index lane = 0; lane < kLanes; ++lane) {
      if constexpr (kFused) {
        sums[lane] = flush<kFlushes>(std::fma(a, b[lane], sums[lane]));
      } else {
        sums[lane] = flush<kFlushes>(sums[lane] + flush<kFlushes>(a * b[lane]));
      }
    }
  }
  std::copy_n(sums, kLanes, accumulators);
}

ASSAY_SIMD_BODY void fp32_body(const Fp32Operands& operands, const Fp32Parameters& parameters,
                               float* accumulators) {
  if (parameters.fused) {
    if (parameters.flushes) { return fp32_chain<true, true>(operands, accumulators); }
    return fp32_chain<true, false>(operands, accumulators);
  }
  if (parameters.flushes) { return fp32_chain<false, true>(operands, accumulators); }
  return fp32_chain<false, false>(operands, accumulators);
}

ASSAY_SIMD_FUNCTION(steps_dispatch, steps_body,
                    (const StepOperands& operands, const StepParameters& parameters,
                     double* accumulators, bool* beyond),
                    (operands, parameters, accumulators, beyond))
ASSAY_SIMD_FUNCTION(fp32_dispatch, fp32_body,
                    (const Fp32Operands& operands, const Fp32Parameters& parameters,
                     float* accumulators),
                    (operands, parameters, accumulators))

}  // namespace

void run_steps(const StepOperands& operands, const StepParameters& parameters, double* accumulators,
               bool* beyond) {
  steps_dispatch(operands, parameters, accumulators, beyond);
}

void run_fp32(const Fp32Operands& operands, const Fp32Parameters& parameters, float* accumulators) {
  fp32_dispatch(operands, parameters, accumulators);
}

void run_integers(const double* row, const double* panel, Index k, double* sums) {
  for (Index i = 0; i < k; ++i) {
    for (Index lane = 0; lane < kLanes; ++lane) { sums[lane] += row[i] * panel[i * kLanes + lane]; }
  }
  for (Index lane = 0; lane < kLanes; ++lane) {
    const auto wrapped = static_cast<std::uint32_t>(static_cast<std::int64_t>(sums[lane]));
    sums[lane] = static_cast<std::int32_t>(wrapped);
  }
}

double sum_special(const double* row, const double* column, Index count, double accumulator) {
  for (Index k = 0; k < count; ++k) { accumulator += row[k] * column[k]; }
  return accumulator;
}

}  // namespace assay::oracle
