// Scales of a case: which blocks they belong to, and what they hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/problem/case_spec.h"

namespace assay {

// The block of an operand in its own axes: rows and columns of x [rows, k], w [k, n], y [rows, n];
// 0: the whole axis of an expert. Nothing for operands without scales.
struct OperandBlock {
  ScaleFormat format = ScaleFormat::kFp32;
  Index rows = 0, cols = 0;
  bool tensor_scale = false;  // and one of fp32 for all of x or y, or each expert's w
};
std::optional<OperandBlock> scale_block(const CaseSpec& spec, Role role);
// Of an input alone: nothing for the output's scale.
std::optional<OperandBlock> input_block(const CaseSpec& spec, Role role);

// Dense storage of one operand's scales, the experts' blocks one after another: rows of blocks by
// columns of blocks, in the operand's own axes whatever the layout of w.
struct DenseScales {
  ScaleFormat format = ScaleFormat::kFp32;
  Index block_rows = 0, block_cols = 0;  // elements; 0: the whole axis of an expert
  Index rows = 0, cols = 0;              // of blocks; 0: the operand has no scales
  std::vector<Index> first;              // row of each expert's first block; experts + 1
  bool jagged = false;                   // x or y: rows are each expert's own
  bool shared = false;                   // one scale for all experts' rows
  Index tensors = 0;                     // scales of fp32 beside them: experts of w, else 1 or 0
  std::vector<std::byte> bits;           // bytes() of them, once there are values
  std::vector<float> tensor_scales;      // as many as `tensors`, likewise

  bool present() const { return cols > 0; }
  Index bytes() const { return rows * cols * traits(format).size_bytes; }
  // Blocks begin with each expert's rows, and are as many as these ask for.
  bool by_rows() const { return jagged && block_rows > 0; }
  // That of an expert's matrix: one for all of x or y; 1 where there is none.
  float tensor_scale(Index expert) const {
    return tensors == 0 ? 1 : tensor_scales[static_cast<std::size_t>(jagged ? 0 : expert)];
  }
  // In memory, row i of the operand has row i of the scales.
  bool follows_rows() const { return jagged && block_rows == 1; }
  std::uint32_t load(Index row, Index col) const;
  void store(Index row, Index col, std::uint32_t code);
  std::byte* element(Index row, Index col) {
    return bits.data() + (row * cols + col) * traits(format).size_bytes;
  }
  const std::byte* element(Index row, Index col) const {
    return bits.data() + (row * cols + col) * traits(format).size_bytes;
  }
};

// How many blocks an axis of `length` elements has; block 0: one.
Index scale_blocks(Index length, Index block);
// Their number and places, without values. Requires: check_case(spec).
DenseScales lay_out_scales(const CaseSpec& spec, Role role);
// Filled, a pure function of (seed, operand, expert, block). Exact fills: powers of two from 1 to
// 16, different for neighbouring blocks and experts; by as much codes are smaller, so that code
// times scale is the integer of the fill. Others: in (2^-7, 1), powers of two for e8m0. special:
// some are zero, NaN, large or subnormal. Scales of tensors are the same kind of numbers; those of
// exact fills are 2^-1 to 2^-4, and blocks' are larger by as much. An output's are 2^-1 to 2^-4 in
// exact fills, or 1 where its codes are read as digits; else in (2^-6, 1), or 2^-8 and 2^8 for
// some experts' w.
DenseScales make_scales(const CaseSpec& spec, Role role);

// Every scale the nearest to value.
void fill_scales(DenseScales& scales, double value);

// Whether codes of the format can be smaller by every scale of an exact fill. Else numbers of exact
// fills grow with the scales.
bool has_room_for_scales(Format format);
// How many bits exact fills grow by for the scales of an input: 0 where its codes make room.
int exact_scale_bits(const CaseSpec& spec, Role role);
// Of both inputs together.
int exact_scale_bits(const CaseSpec& spec);
// Exact fills: the scale of an input's block, times that of its tensor, is 2^this.
int exact_scale_exponent(const CaseSpec& spec, Role role, Index expert, Index block_row,
                         Index block_col);

}  // namespace assay
