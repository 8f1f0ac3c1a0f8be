// CallFacts: what an assay_call says, as plain bytes; and the one place where it becomes a call.
#pragma once

#include <cstdint>

#include "src/contract/assay/abi.h"
#include "src/core/index.h"
#include "src/problem/case_spec.h"

namespace assay {

// The ABI's codes.
std::int32_t abi_of(Pass pass);
std::int32_t abi_of(Convention convention);
std::int32_t abi_of(WeightsLayout layout);
std::int32_t abi_of(ScaleLayout layout);
std::int32_t abi_of(ScaleStarts starts);

struct TensorRecord {
  std::uint64_t address = 0;
  std::int32_t dims = 0;  // 0: the call has no such tensor
  std::uint8_t code = 0;  // DLPack's, with bits
  std::uint8_t bits = 0;
  std::int64_t shape[3] = {};
  std::int64_t strides[3] = {};
  friend bool operator==(const TensorRecord&, const TensorRecord&) = default;
};

// The parts of an operand.
struct OperandRecord {
  TensorRecord elements;
  std::uint64_t pointers = 0;  // to each expert's first element; 0: none
  TensorRecord scales;
  TensorRecord tensor_scale;
  std::uint64_t scale_pointers = 0;  // to each expert's first scale; 0: none
  std::int64_t scale_block[2] = {};  // rows and columns; 0: the whole axis
  friend bool operator==(const OperandRecord&, const OperandRecord&) = default;
};

inline constexpr int kTacticBytes = 128;

struct CallFacts {
  std::int32_t pass = 0;
  std::int32_t convention = 0;
  std::int32_t weights = 0;
  std::int32_t accumulate = 0;
  std::int32_t scale_layout = 0;
  std::int32_t scale_starts = 0;
  std::int64_t experts = 0, k = 0, n = 0, rows = 0, pad = 1, cap = 0;
  PerOperand<OperandRecord> operands;
  TensorRecord offsets, sizes, bias;
  std::uint64_t workspace = 0, workspace_bytes = 0;
  std::uint64_t status = 0;
  std::int32_t threads = 0;
  std::int32_t offsets_on_host = 0;  // also where the operands are on a device
  char tactic[kTacticBytes] = {};
  friend bool operator==(const CallFacts&, const CallFacts&) = default;
};

// All that the case and its physical rows say; addresses, the arrays of offsets and the workspace
// are left to the caller.
CallFacts facts_of(const CaseSpec& spec, Index physical_rows);
// `bytes` of memory, seen as entries of a type.
TensorRecord index_array(std::uint64_t address, Index bytes, IndexType type);

// What the operands' place adds to a call; the default is the CPU.
struct CallTarget {
  int device_type = 1;  // DLPack's: 1 CPU, 2 CUDA
  int device_id = 0;
  void* stream = nullptr;
};
// x, w, y, offsets, sizes, the scales of x, w, y, those of their tensors, and the bias.
using CallTensors = assay_tensor[12];
// Fills call and tensors, which point into `facts`; message is left as it is.
void build_call(CallFacts& facts, const CallTarget& target, CallTensors& tensors, assay_call& call);

}  // namespace assay
