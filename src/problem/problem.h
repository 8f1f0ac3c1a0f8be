// Problem: one case made concrete: operand bits, row layout and encoded offsets. A pure function of the case.
#pragma once

#include <cstddef>
#include <vector>

#include "src/core/matrix_view.h"
#include "src/problem/case_spec.h"
#include "src/problem/offsets.h"
#include "src/problem/row_layout.h"

namespace assay {

// Dense storage of one operand without gaps, padding or tail: x [real rows, k], y [real rows, n] with the experts'
// rows one after another, w [experts, n, k] (enk) or [experts, k, n] (ekn).
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
  std::vector<Index> dense_starts;    // first row of each expert in the dense x and y; experts + 1 entries
  PerOperand<DenseOperand> operands;  // the output operand holds C when acc > 0, else it is sized and zero
  OffsetArrays offsets;

  DenseOperand& output() { return operands[output_role(spec.pass)]; }
  const DenseOperand& output() const { return operands[output_role(spec.pass)]; }
};

struct ProblemOptions {
  // Exact fills keep (acc, at least 1) * Σ|products| + |C| at most 2^exact_bits: 24 for an fp32 accumulator, 11 for
  // fp16, 8 for bf16 partials, 14 for Hopper's fp8 path.
  int exact_bits = 24;
};
Problem make_problem(const CaseSpec& spec, const ProblemOptions& options = {});
// Fills an output-sized operand's C when acc > 0; make_problem has done so already.

// True for fills whose outputs every order of summation reproduces exactly (integers, anchored, coded, sparse).
bool is_exact(Fill fill);

}  // namespace assay
