// CallView: an assay_call read once, checked and typed, as the CPU kernels of this folder use it.
#pragma once

#include <cstddef>
#include <vector>

#include "src/contract/assay/abi.h"
#include "src/core/index.h"
#include "src/core/matrix_view.h"
#include "src/kernels/element_codec.h"
#include "src/kernels/scale_matrix.h"
#include "src/kernels/schedule/group_reader.h"
#include "src/problem/format.h"

namespace assay {

// One expert's row; without data: none.
struct Bias {
  const std::byte* data = nullptr;
  Index stride = 0;  // bytes
  Format format = Format::kFp32;

  bool present() const { return data != nullptr; }
  float at(Index col) const { return widen(format, data + col * stride); }
};

// A matrix of elements of any alignment; the strides of `bytes` count bytes, where codes share a
// byte they count codes.
struct ElementMatrix {
  MatrixView<std::byte> bytes;
  Format format = Format::kFp32;
  float scale = 1;  // of an output: multiplies what is stored
  Bias bias{};      // likewise: is added to each row before it is stored

  // Of formats with whole bytes an element.
  std::byte* address(Index row, Index col) const { return bytes.address(row, col); }
  float at(Index row, Index col) const {
    if (!is_packed(format)) { return widen(format, address(row, col)); }
    const Index code = row * bytes.row_stride + col * bytes.col_stride;
    return e2m1_half_to_float(bytes.data + code / 2, code % 2 != 0);
  }
  ElementMatrix transposed() const { return {bytes.transposed(), format, scale}; }
  ElementMatrix row_block(Index first, Index count) const {
    if (!is_packed(format)) { return {bytes.row_block(first, count), format, scale}; }
    // Rows of codes begin with whole bytes.
    return {{bytes.data + first * bytes.row_stride / 2, count, bytes.cols, bytes.row_stride,
             bytes.col_stride},
            format,
            scale};
  }
};

// One expert's product: out [m, n] = a [m, depth] b [depth, n], in every pass.
struct GroupProduct {
  ElementMatrix a, b, out;
  ScaleMatrix a_scales{}, b_scales{};

  Index m() const { return out.bytes.rows; }
  Index n() const { return out.bytes.cols; }
  Index depth() const { return a.bytes.cols; }
};

// The scales of one operand of a call, every expert's.
struct OperandScales {
  ScaleMatrix all;         // from the first expert's on
  Index expert_pitch = 0;  // bytes between experts; 0: by rows
  Index rows_of_one = 0;   // of x and y: the rows of a block, from 2 on
  void* const* pointers = nullptr;
  const std::byte* tensors = nullptr;  // fp32, null: none
  Index tensor_pitch = 0;              // bytes between experts; 0: one for all
  std::vector<Index> first;  // rows_of_one: the first block of each expert; tiles: its first scale
  bool aligned_starts = false;  // blocks of several rows begin with the expert's rows
  bool tiled = false;
  Index row_blocks = 0;  // tiles: of w; 0: by each expert's rows
  Index col_blocks = 0;  // tiles: of each expert

  // Of a tiled grid.
  Index across(Index rows) const { return all.along_rows ? col_blocks : blocks_of_rows(rows); }
  Index along(Index rows) const { return all.along_rows ? blocks_of_rows(rows) : col_blocks; }
  Index blocks_of_rows(Index rows) const;
  ScaleMatrix of(Index expert, const RowGroup& group) const;
};

struct CallView {
  const assay_call* call = nullptr;
  GroupArrays groups;
  ElementMatrix x, y;  // all physical rows
  ElementMatrix w;     // expert 0, seen as [k, n] in either layout
  Index w_pitch_bytes = 0;
  MatrixView<std::byte> bias;  // a row an expert, as `bytes`; without data: none
  Format bias_format = Format::kFp32;
  OperandScales x_scales, w_scales, y_scales;

  bool accumulates() const { return call->accumulate != 0; }
  // Of an input.
  bool has_scales() const {
    return (x_scales.all.present() && call->pass != ASSAY_DGRAD) ||
           (w_scales.all.present() && call->pass != ASSAY_WGRAD) ||
           (y_scales.all.present() && call->pass != ASSAY_FWD);
  }
  bool is_wgrad() const { return call->pass == ASSAY_WGRAD; }
  ElementMatrix weights_of(Index expert) const;
  Bias bias_of(Index expert) const;
  // Of the codes alone, and with their scales.
  GroupProduct product(Index expert, const RowGroup& group) const;
  GroupProduct scaled_product(Index expert, const RowGroup& group) const;
};

// False: an element type that is no Format.
inline bool format_of(const assay_dtype& type, Format& format) {
  for (const Format taken : kAllFormats) {
    const FormatTraits& row = kFormatTraits[static_cast<std::size_t>(taken)];
    if (type.code == row.dlpack_code && type.bits == row.bits && type.lanes == row.packed()) {
      format = taken;
      return true;
    }
  }
  return false;
}

// Writes one line where the caller wants it and returns `code`.
int answer(const assay_call& call, int code, const char* message);

// Checks shapes, formats and sizes. What the CPU kernels share: x, w, y on the CPU; both inputs
// of one format, or one in codes of 8 bits and fewer, with scales or without; the output of an
// input's format or fp32, of codes alone bf16, fp16 or fp32, and of all e4m3 and e5m2, with one
// scale or without; accumulation in wgrad into fp32; in fwd a bias.
// Returns ASSAY_OK, or ASSAY_UNSUPPORTED or ASSAY_ERROR with the call's message written.
int open_call(const assay_call& call, CallView& view);

// The bias of an open call, the last part of open_call (call_bias.cpp).
int open_bias(CallView& view);

// Reads every group once, and where its scales begin. ASSAY_ERROR, naming the first expert whose
// entries break the convention, before anything is written.
int check_groups(CallView& view);

}  // namespace assay
