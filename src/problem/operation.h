// Operations: what each pass multiplies, one row of data a pass (operations.cpp). Who needs to know
// what a pass reads, writes or adds up asks its row.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/core/index.h"

namespace assay {

enum class Pass : std::uint8_t { kFwd, kDgrad, kWgrad };
inline constexpr Pass kAllPasses[] = {Pass::kFwd, Pass::kDgrad, Pass::kWgrad};

// The operands of every pass: x is X or dX, w is W or dW, y is Y or dY.
enum class Role : std::uint8_t { kX, kW, kY };
inline constexpr Role kAllRoles[] = {Role::kX, Role::kW, Role::kY};

// The axes of one expert's operands. The number of rows is each expert's own.
enum class Axis : std::uint8_t { kRows, kK, kN };

struct MatrixAxes {
  Axis rows, cols;
};
// x [rows, k], w [k, n] whatever its layout in memory, y [rows, n].
constexpr MatrixAxes axes_of(Role role) {
  return {role == Role::kW ? Axis::kK : Axis::kRows, role == Role::kX ? Axis::kK : Axis::kN};
}

struct AxisSizes {
  Index rows = 0, k = 0, n = 0;
  constexpr Index operator[](Axis axis) const {
    return axis == Axis::kRows ? rows : axis == Axis::kK ? k : n;
  }
};

// Which operand a matrix of the product is, and whether the product has it transposed.
struct FactorRole {
  Role role = Role::kX;
  bool transposed = false;

  constexpr Axis rows() const { return transposed ? axes_of(role).cols : axes_of(role).rows; }
  constexpr Axis cols() const { return transposed ? axes_of(role).rows : axes_of(role).cols; }
};

// Of every expert, output [m, n] = a [m, depth] b [depth, n]. M, N, K of the convention `problems`
// are the sizes of m, n and depth.
struct Operation {
  std::string_view name;  // as the case text spells it
  FactorRole a, b;
  Role output = Role::kY;
  bool accumulates = false;  // the key acc: may add into an output of fp32
  bool adds_bias = false;    // the key bias: may add a row to each of an expert's output rows

  constexpr Axis m() const { return a.rows(); }
  constexpr Axis n() const { return b.cols(); }
  constexpr Axis depth() const { return a.cols(); }
  constexpr bool reads(Role role) const { return a.role == role || b.role == role; }
  // The reduction runs over each expert's rows: the output is a matrix an expert, and +0 (or C) for
  // an expert without rows. Else the output has the rows of x or y, and an expert without rows owns
  // no element.
  constexpr bool reduces_rows() const { return depth() == Axis::kRows; }
};

const Operation& operation(Pass pass);

// Subsets of the passes: whose operation reduces over rows, or not; that may add into the output.
std::vector<Pass> passes_that_reduce_rows();
std::vector<Pass> passes_with_output_rows();
std::vector<Pass> passes_that_accumulate();

inline Role output_role(Pass pass) { return operation(pass).output; }
inline bool reduces_rows(Pass pass) { return operation(pass).reduces_rows(); }

}  // namespace assay
