#include "src/contract/call_builder.h"

#include <algorithm>

#include "src/problem/convention.h"
#include "src/problem/row_layout.h"
#include "src/problem/scale_places.h"

namespace assay {
namespace {

#define ASSAY_ROW(NAME, ABI) \
  static_assert(static_cast<int>(Convention::k##NAME) == ASSAY_OFFSETS_##ABI);
ASSAY_CONVENTIONS(ASSAY_ROW)
#undef ASSAY_ROW
static_assert(static_cast<int>(WeightsLayout::kEnk) == ASSAY_ENK);
static_assert(static_cast<int>(ScaleLayout::k32x4x4) == ASSAY_SCALES_32_4_4);
static_assert(static_cast<int>(ScaleStarts::kAligned) == ASSAY_SCALE_STARTS_ALIGNED);
static_assert(static_cast<int>(WeightsLayout::kEkn) == ASSAY_EKN);
// The order of Pass is that of ASSAY_FWD, ASSAY_DGRAD, ASSAY_WGRAD.
static_assert(ASSAY_FWD == 0 && ASSAY_WGRAD == 2);

constexpr std::uint8_t kDlInt = 0;
constexpr assay_device kHost = {1, 0};

template <class T>
T* pointer(std::uint64_t address) {
  return reinterpret_cast<T*>(address);
}

// x [rows, k], y [rows, n], w [experts, n, k] or [experts, k, n].
TensorRecord elements_of(const CaseSpec& spec, Role role, Index physical_rows) {
  const FormatTraits& format = traits(format_of(spec, role));
  TensorRecord record{.dims = 2, .code = format.dlpack_code};
  record.bits = static_cast<std::uint8_t>(format.bits);
  std::int64_t* shape = record.shape;
  std::int64_t* strides = record.strides;
  if (role == Role::kW) {
    record.dims = 3;
    *shape++ = spec.experts();
    *strides++ = expert_pitch(spec) / format.packed();
  }
  shape[0] = role == Role::kW ? storage_rows(spec) : physical_rows;
  shape[1] = storage_cols(spec, role) / format.packed();
  strides[0] = row_pitch(spec, role) / format.packed();
  strides[1] = 1;
  return record;
}

TensorRecord bias_of(const CaseSpec& spec) {
  if (!spec.bias) { return {}; }
  TensorRecord record{.dims = 2, .code = traits(*spec.bias).dlpack_code};
  record.bits = static_cast<std::uint8_t>(traits(*spec.bias).bits);
  record.shape[0] = spec.experts();
  record.shape[1] = record.strides[0] = spec.n;
  record.strides[1] = 1;
  return record;
}

// As assay_call describes them; of w in the order of its layout.
void describe_scales(const CaseSpec& spec, Role role, Index physical_rows, OperandRecord& record) {
  const DenseScales scales = lay_out_scales(spec, role);
  if (!scales.present()) { return; }
  const ScaleFormatTraits& format = traits(scales.format);
  TensorRecord& tensor = record.scales;
  tensor.code = format.dlpack_code;
  tensor.bits = static_cast<std::uint8_t>(8 * format.size_bytes);
  record.scale_block[0] = scales.block_rows;
  record.scale_block[1] = scales.block_cols;
  if (scales.tensors > 0) {
    const ScaleFormatTraits& fp32 = traits(ScaleFormat::kFp32);
    record.tensor_scale.dims = 1;
    record.tensor_scale.code = fp32.dlpack_code;
    record.tensor_scale.bits = static_cast<std::uint8_t>(8 * fp32.size_bytes);
    record.tensor_scale.shape[0] = scales.tensors;
    record.tensor_scale.strides[0] = 1;
  }
  RowLayout layout = lay_out_rows(spec);
  layout.physical_rows = physical_rows;
  const ScalePlaces places = scale_places(spec, role, layout, scales);
  const auto add_axis = [&](Index length, Index stride) {
    tensor.shape[tensor.dims] = length;
    tensor.strides[tensor.dims++] = stride;
  };
  if (role == Role::kW) { add_axis(spec.experts(), places.pitch); }
  if (places.tiled) {
    add_axis(role == Role::kW ? places.pitch : places.extent, 1);
  } else {
    add_axis(places.rows, places.row);
    add_axis(scales.cols, places.col);
  }
}

const assay_tensor* point_at(TensorRecord& record, const assay_device& device,
                             assay_tensor& tensor) {
  if (record.dims == 0) { return nullptr; }
  const auto lanes = static_cast<std::uint16_t>(record.bits < 8 ? 8 / record.bits : 1);
  tensor = {.data = pointer<void>(record.address),
            .device = device,
            .ndim = record.dims,
            .dtype = {record.code, record.bits, lanes},
            .shape = record.shape,
            .strides = record.strides,
            .byte_offset = 0};
  return &tensor;
}

}  // namespace

std::int32_t abi_of(Pass pass) { return static_cast<std::int32_t>(pass); }
std::int32_t abi_of(Convention convention) { return static_cast<std::int32_t>(convention); }
std::int32_t abi_of(WeightsLayout layout) { return static_cast<std::int32_t>(layout); }
std::int32_t abi_of(ScaleLayout layout) { return static_cast<std::int32_t>(layout); }
std::int32_t abi_of(ScaleStarts starts) { return static_cast<std::int32_t>(starts); }

CallFacts facts_of(const CaseSpec& spec, Index physical_rows) {
  const ConventionTraits& told = traits(spec.told.convention);
  CallFacts facts;
  facts.pass = abi_of(spec.pass);
  facts.convention = abi_of(spec.told.convention);
  facts.weights = abi_of(spec.weights);
  facts.accumulate = spec.acc > 0 ? 1 : 0;
  facts.scale_layout = abi_of(scale_layout_of(spec));
  facts.scale_starts = abi_of(scale_starts_of(spec));
  facts.experts = spec.experts();
  facts.k = spec.k;
  facts.n = spec.n;
  facts.rows = physical_rows;
  if (told.promises_pad) { facts.pad = spec.pad; }
  if (told.has_buffers) { facts.cap = buffer_rows(spec); }
  for (const Role role : kAllRoles) {
    facts.operands[role].elements = elements_of(spec, role, physical_rows);
    describe_scales(spec, role, physical_rows, facts.operands[role]);
  }
  facts.bias = bias_of(spec);
  const std::size_t most = kTacticBytes - 1;
  std::copy_n(spec.tactic.begin(), std::min(spec.tactic.size(), most), facts.tactic);
  return facts;
}

TensorRecord index_array(std::uint64_t address, Index bytes, IndexType type) {
  TensorRecord record{.address = address, .dims = 1, .code = kDlInt};
  record.bits = type == IndexType::kI32 ? 32 : 64;
  record.shape[0] = bytes * 8 / record.bits;
  record.strides[0] = 1;
  return record;
}

void build_call(CallFacts& facts, const CallTarget& target, CallTensors& tensors,
                assay_call& call) {
  const assay_device device = {target.device_type, target.device_id};
  const assay_device offsets_device = facts.offsets_on_host != 0 ? kHost : device;
  PerOperand<OperandRecord>& operands = facts.operands;
  call.struct_size_bytes = sizeof(assay_call);
  call.pass = facts.pass;
  call.convention = facts.convention;
  call.weights = facts.weights;
  call.accumulate = facts.accumulate;
  call.experts = facts.experts;
  call.k = facts.k;
  call.n = facts.n;
  call.rows = facts.rows;
  call.pad = facts.pad;
  call.cap = facts.cap;
  call.x = point_at(operands.x.elements, device, tensors[0]);
  call.w = point_at(operands.w.elements, device, tensors[1]);
  call.y = point_at(operands.y.elements, device, tensors[2]);
  call.offsets = point_at(facts.offsets, offsets_device, tensors[3]);
  call.sizes = point_at(facts.sizes, offsets_device, tensors[4]);
  call.x_ptrs = pointer<void* const>(operands.x.pointers);
  call.w_ptrs = pointer<void* const>(operands.w.pointers);
  call.y_ptrs = pointer<void* const>(operands.y.pointers);
  call.x_scale = point_at(operands.x.scales, device, tensors[5]);
  call.w_scale = point_at(operands.w.scales, device, tensors[6]);
  call.y_scale = point_at(operands.y.scales, device, tensors[7]);
  call.x_tensor_scale = point_at(operands.x.tensor_scale, device, tensors[8]);
  call.w_tensor_scale = point_at(operands.w.tensor_scale, device, tensors[9]);
  call.y_tensor_scale = point_at(operands.y.tensor_scale, device, tensors[10]);
  call.bias = point_at(facts.bias, device, tensors[11]);
  call.x_scale_ptrs = pointer<void* const>(operands.x.scale_pointers);
  call.w_scale_ptrs = pointer<void* const>(operands.w.scale_pointers);
  call.y_scale_ptrs = pointer<void* const>(operands.y.scale_pointers);
  std::copy_n(operands.x.scale_block, 2, call.x_scale_block);
  std::copy_n(operands.w.scale_block, 2, call.w_scale_block);
  std::copy_n(operands.y.scale_block, 2, call.y_scale_block);
  call.scale_layout = facts.scale_layout;
  call.scale_starts = facts.scale_starts;
  call.workspace = pointer<void>(facts.workspace);
  call.workspace_bytes = facts.workspace_bytes;
  call.stream = target.stream;
  call.tactic = facts.tactic;
  call.threads = facts.threads;
  call.status = pointer<std::int32_t>(facts.status);
}

}  // namespace assay
