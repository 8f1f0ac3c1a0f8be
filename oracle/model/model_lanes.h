// The model's inner loops: one row of a against a few columns of b at a time.
#pragma once

#include "src/core/index.h"

namespace assay::oracle {

inline constexpr Index kLanes = 16;  // columns side by side

// Element (k, lane) of a column panel lies at k * kLanes + lane. power is 2^exponent as the step
// aligns it, 0 for a zero.
struct StepOperands {
  const double* row = nullptr;
  const double* row_power = nullptr;
  const double* panel = nullptr;
  const double* panel_power = nullptr;
  Index k = 0;
};
struct StepParameters {
  int products_per_step = 1;
  int fraction_bits = 23;
  int out_bits = 23;
  bool flushes = false;
};
// Advances the accumulators over all k. A lane that meets a value beyond fp32 (or NaN) is set in
// `beyond`, and its accumulator means nothing then.
void run_steps(const StepOperands& operands, const StepParameters& parameters, double* accumulators,
               bool* beyond);

struct Fp32Operands {
  const float* row = nullptr;
  const float* panel = nullptr;
  Index k = 0;
};
struct Fp32Parameters {
  bool fused = true;
  bool flushes = false;
};
void run_fp32(const Fp32Operands& operands, const Fp32Parameters& parameters, float* accumulators);

// Adds integers, exactly but modulo 2^32, to sums that begin with zero.
void run_integers(const double* row, const double* panel, Index k, double* sums);

// One step on one output in plain IEEE arithmetic, for values that are not finite.
double sum_special(const double* row, const double* column, Index count, double accumulator);

}  // namespace assay::oracle
