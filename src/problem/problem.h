// Problem: one case made concrete: operand bits, row layout and encoded offsets. A pure function of
// the case.
#pragma once

#include <cstddef>
#include <vector>

#include "src/core/matrix_view.h"
#include "src/problem/case_spec.h"
#include "src/problem/offsets.h"
#include "src/problem/row_layout.h"
#include "src/problem/scales.h"

namespace assay {

// Dense storage of one operand without gaps, padding or tail: x [real rows, k], y [real rows, n]
// with the experts' rows one after another, w [experts, n, k] (enk) or [experts, k, n] (ekn).
struct DenseOperand {
  Format format = Format::kBf16;
  Index rows = 0;  // all experts' together
  Index cols = 0;
  std::vector<std::byte> bits;

  std::byte* element(Index row, Index col) {
    return bits.data() + (row * cols + col) * size_bytes(format);
  }
  const std::byte* element(Index row, Index col) const {
    return bits.data() + (row * cols + col) * size_bytes(format);
  }
};

struct Problem {
  CaseSpec spec;
  RowLayout layout;
  std::vector<Index> dense_starts;    // first row of each expert in the dense x and y; experts + 1
  PerOperand<DenseOperand> operands;  // the output holds C when acc > 0, else it is sized and zero
  PerOperand<DenseScales> scales;     // of inputs that have some
  DenseOperand bias;                  // [experts, n]; empty where the case has none
  OffsetArrays offsets;

  DenseOperand& output() { return operands[output_role(spec.pass)]; }
  const DenseOperand& output() const { return operands[output_role(spec.pass)]; }
};

struct ProblemOptions {
  // Exact fills keep (acc, at least 1) * Σ|products| + |C or bias| at most 2^exact_bits: 24 for an
  // fp32 accumulator, 11 for fp16, 8 for bf16 partials, 14 for Hopper's fp8 path. Requires: 8
  // to 24.
  int exact_bits = 24;
  int threads = 0;  // 0: all available; small problems are made by the caller alone
};

// The operand values are a pure function of (seed, operand, expert, row within the expert, column),
// by integer arithmetic. What each fill holds, in terms of out = A[m, r] B[r, n] (r the reduction):
//   integers    small nonzero integers, the same in all three passes
//   anchored    small integers, and in each output +2^p and -2^p at two random r, which cancel;
//               representable outputs: Σ|small products| at most 2^8 (bf16 out), 2^11 (fp16)
//   sparse      as anchored without anchors, at most a quarter of A nonzero
//   coded       each output is one digit of where it was read from (coded.h)
//   normal, positive (in (0, 1]), lognormal (of both signs, exponents spread)
//   cancelling  pairs of r whose products nearly cancel: |output| is far below its gauge
//   special     normal values, some NaN, infinite, largest, subnormal or -0
//   equal       one value for all rows of an expert, and one for each column: as padding tokens
//   extreme     normal values; some rows and columns hold NaN of any bits and infinities together;
//               one expert of four has the largest values on both sides, and finite results
// Exact fills of scaled inputs hold these numbers as code times scale.
// Exact fills of the first three kinds always have a nonzero A at the first and last r, and as far
// as their budget goes at the borders of every 64 r. Experts differ in scale and content. Requires:
// check_case(spec).
Problem make_problem(const CaseSpec& spec, const ProblemOptions& options = {});

// True for fills whose outputs every order of summation reproduces exactly (integers, anchored,
// coded, sparse).
bool is_exact(Fill fill);
// True for fills with values whose results are not finite (special, extreme).
bool has_special_values(Fill fill);

}  // namespace assay
