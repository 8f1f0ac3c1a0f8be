#include "src/kernels/call_view.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <new>
#include <vector>

#include "src/kernels/element_codec.h"
#include "src/kernels/schedule/tile_shape.h"
#include "src/problem/case_spec.h"

namespace assay {
namespace {

constexpr int kCpuDevice = 1;

// A kernel's plug-in holds this file and not src/problem: constants alone.
constexpr const FormatTraits& row_of(Format format) {
  return kFormatTraits[static_cast<std::size_t>(format)];
}
constexpr bool is_code(Format format) { return row_of(format).code; }

const assay_tensor* output_of(const assay_call& call) {
  return call.pass == ASSAY_FWD ? call.y : call.pass == ASSAY_DGRAD ? call.x : call.w;
}

// The shape counts elements: of a packed format, codes that share a byte.
bool has_shape(const assay_tensor* tensor, Index rows, Index cols) {
  return tensor != nullptr && tensor->ndim == 2 && tensor->shape[0] == rows &&
         tensor->shape[1] * tensor->dtype.lanes == cols;
}

bool has_shape(const assay_tensor* tensor, Index planes, Index rows, Index cols) {
  return tensor != nullptr && tensor->ndim == 3 && tensor->shape[0] == planes &&
         tensor->shape[1] == rows && tensor->shape[2] * tensor->dtype.lanes == cols;
}

ElementMatrix matrix_of(const assay_tensor& tensor, Format format) {
  const Index size = element_bytes(format), lanes = tensor.dtype.lanes;
  const int row_axis = tensor.ndim - 2;
  // Neighbours that share a byte are one code apart.
  const Index col_stride = lanes > 1 ? 1 : tensor.strides[row_axis + 1] * size;
  return {{static_cast<std::byte*>(tensor.data) + tensor.byte_offset, tensor.shape[row_axis],
           tensor.shape[row_axis + 1] * lanes, tensor.strides[row_axis] * size * lanes, col_stride},
          format};
}

IndexArray array_of(const assay_tensor* tensor) {
  if (tensor == nullptr || tensor->dtype.code != 0) { return {}; }
  Index length = 1;
  for (int axis = 0; axis < tensor->ndim; ++axis) { length *= tensor->shape[axis]; }
  return {static_cast<const std::byte*>(tensor->data) + tensor->byte_offset, length,
          tensor->dtype.bits == 64};
}

int check_sizes(const assay_call& call) {
  if (call.struct_size_bytes < sizeof(assay_call)) {
    return answer(call, ASSAY_ERROR, "struct_size_bytes is smaller than this kernel's assay_call");
  }
  if (call.pass < ASSAY_FWD || call.pass > ASSAY_WGRAD) {
    return answer(call, ASSAY_UNSUPPORTED, "pass is none of fwd, dgrad, wgrad");
  }
  if (call.weights != ASSAY_ENK && call.weights != ASSAY_EKN) {
    return answer(call, ASSAY_UNSUPPORTED, "weights is neither enk nor ekn");
  }
  if (call.convention < 0 || call.convention >= std::ssize(kAllConventions)) {
    return answer(call, ASSAY_UNSUPPORTED, "the offset convention is unknown");
  }
  if (call.experts < 0 || call.k < 0 || call.n < 0 || call.rows < 0) {
    return answer(call, ASSAY_ERROR, "experts, k, n or rows is negative");
  }
  const bool enk = call.weights == ASSAY_ENK;
  if (!has_shape(call.x, call.rows, call.k) || !has_shape(call.y, call.rows, call.n) ||
      !has_shape(call.w, call.experts, enk ? call.n : call.k, enk ? call.k : call.n)) {
    return answer(call, ASSAY_ERROR, "x, w or y has not the shape that rows, experts, k, n give");
  }
  return ASSAY_OK;
}

int check_formats(const assay_call& call, Format x, Format w, Format y) {
  const Format out = call.pass == ASSAY_FWD ? y : call.pass == ASSAY_DGRAD ? x : w;
  const Format first = call.pass == ASSAY_FWD ? x : y;
  const Format second = call.pass == ASSAY_WGRAD ? x : w;
  if (first != second && !is_code(first) && !is_code(second)) {
    return answer(call, ASSAY_UNSUPPORTED,
                  "the two inputs differ, and neither has 8 bits or fewer");
  }
  if (!row_of(out).stored) {
    return answer(call, ASSAY_UNSUPPORTED, "the output is none of bf16, fp16, fp32, e4m3, e5m2");
  }
  const bool any_output = is_code(out) || (is_code(first) && is_code(second));
  if (!any_output && out != first && out != second && out != Format::kFp32) {
    return answer(call, ASSAY_UNSUPPORTED, "the output is neither an input's, fp32 nor of 8 bits");
  }
  if (call.accumulate != 0 && (call.pass != ASSAY_WGRAD || out != Format::kFp32)) {
    return answer(call, ASSAY_UNSUPPORTED, "accumulates in wgrad into fp32 only");
  }
  return ASSAY_OK;
}

Index row_bytes(const ElementMatrix& matrix) {
  return is_packed(matrix.format) ? matrix.bytes.row_stride / 2 : matrix.bytes.row_stride;
}

// problems: (M, N, K) are those of the expert's product in this pass, rows standing for M_g.
void read_problem_arrays(CallView& view) {
  const assay_call& call = *view.call;
  GroupArrays& groups = view.groups;
  const Index sizes[3][3] = {{-1, call.n, call.k}, {-1, call.k, call.n}, {call.k, call.n, -1}};
  for (int i = 0; i < 3; ++i) { groups.expected_sizes[i] = sizes[call.pass][i]; }
  const bool by_x = view.x.bytes.row_stride > 0;
  groups.row_pointers = by_x ? call.x_ptrs : call.y_ptrs;
  groups.row_base = by_x ? view.x.bytes.data : view.y.bytes.data;
  groups.row_bytes = by_x ? row_bytes(view.x) : row_bytes(view.y);
}

bool scale_format_of(const assay_dtype& type, ScaleFormat& format) {
  constexpr struct {
    std::uint8_t code, bits;
    ScaleFormat format;
  } kScales[] = {
      {2, 32, ScaleFormat::kFp32}, {14, 8, ScaleFormat::kE8m0}, {10, 8, ScaleFormat::kE4m3}};
  for (const auto& known : kScales) {
    if (type.code != known.code || type.bits != known.bits || type.lanes != 1) { continue; }
    format = known.format;
    return true;
  }
  return false;
}

// Blocks of an axis; one of size 0 is the whole axis.
Index scales_of_axis(Index length, Index block) {
  return block == 0 ? 1 : blocks_of(length, block);
}

// x_scale or y_scale [blocks of rows, blocks of columns], w_scale [experts, blocks of k, blocks of
// n]; in tiles [scales] and [experts, scales].
bool read_scales(const assay_call& call, const assay_tensor& operand, const assay_tensor* tensor,
                 const int64_t (&block)[2], void* const* pointers, OperandScales& scales) {
  if (tensor == nullptr) { return true; }
  ScaleMatrix& all = scales.all;
  if (!scale_format_of(tensor->dtype, all.format) || block[0] < 0 || block[1] < 0) { return false; }
  scales.tiled = &operand != output_of(call) && call.scale_layout == ASSAY_SCALES_32_4_4;
  const bool by_expert = operand.ndim == 3;
  if (tensor->ndim != operand.ndim - (scales.tiled ? 1 : 0)) { return false; }
  const Index bytes = tensor->dtype.bits / 8;
  all.data = static_cast<const std::byte*>(tensor->data) + tensor->byte_offset;
  all.block_rows = block[0];
  all.block_cols = block[1];
  scales.pointers = pointers;
  scales.rows_of_one = by_expert ? 0 : block[0];
  scales.expert_pitch = by_expert ? tensor->strides[0] * bytes : 0;
  all.row_stride = bytes;
  if (scales.tiled) {
    all.along_rows = by_expert ? call.pass == ASSAY_FWD : call.pass == ASSAY_WGRAD;
    scales.row_blocks = by_expert ? scales_of_axis(call.k, block[0]) : 0;
    scales.col_blocks = scales_of_axis(&operand == call.x ? call.k : call.n, block[1]);
    return true;
  }
  all.row_stride = tensor->strides[tensor->ndim - 2] * bytes;
  all.col_stride = tensor->strides[tensor->ndim - 1] * bytes;
  scales.aligned_starts = call.scale_starts == ASSAY_SCALE_STARTS_ALIGNED;
  // One scale for all of x has no pitch.
  const bool one = block[0] == 0 && block[1] == 0;
  if (!by_expert && block[0] == 0 && !one) { scales.expert_pitch = all.row_stride; }
  return true;
}

// [1], or of w [experts], of fp32 as the problem says.
bool read_tensor_scale(const assay_tensor* tensor, Index experts, bool by_expert,
                       OperandScales& scales) {
  if (tensor == nullptr) { return true; }
  if (tensor->dtype.code != 2 || tensor->dtype.bits != 32 || tensor->dtype.lanes != 1 ||
      tensor->ndim != 1 || tensor->shape[0] != (by_expert ? experts : 1)) {
    return false;
  }
  scales.tensors = static_cast<const std::byte*>(tensor->data) + tensor->byte_offset;
  scales.tensor_pitch = by_expert ? tensor->strides[0] * 4 : 0;
  return true;
}

// Where each expert's tiles, or blocks of several rows, begin.
void count_blocks(const CallView& view, OperandScales& scales) {
  const bool by_rows = scales.tiled || scales.rows_of_one > 1;
  if (!scales.all.present() || !by_rows) { return; }
  GroupReader reader(view.groups);
  Index first = 0;
  for (Index expert = 0; expert < view.call->experts; ++expert) {
    const RowGroup group = reader.next();
    const Index rows = std::max<Index>(0, group.count);
    if (scales.aligned_starts) { first = group.start / scales.rows_of_one; }
    scales.first.push_back(first);
    first += scales.tiled
                 ? blocks_of(scales.across(rows), 128) * blocks_of(scales.along(rows), 4) * 512
                 : blocks_of(rows, scales.rows_of_one);
  }
}

}  // namespace

Index OperandScales::blocks_of_rows(Index rows) const {
  return row_blocks > 0 ? row_blocks : scales_of_axis(rows, all.block_rows);
}

ScaleMatrix OperandScales::of(Index expert, const RowGroup& group) const {
  ScaleMatrix matrix = all;
  if (!matrix.present()) { return matrix; }
  if (tensors != nullptr) {
    matrix.has_tensor_scale = true;
    matrix.tensor_scale = load_unaligned<float>(tensors + expert * tensor_pitch);
  }
  if (tiled) { matrix.tiles_along = blocks_of(along(group.count), 4); }
  if (pointers != nullptr) {
    matrix.data = static_cast<const std::byte*>(pointers[expert]);
    return matrix;
  }
  const bool is_counted = !first.empty();
  const Index row = is_counted ? first[expert] : rows_of_one == 1 ? group.start : 0;
  matrix.data += expert * expert_pitch + row * all.row_stride;
  return matrix;
}

ElementMatrix CallView::weights_of(Index expert) const {
  ElementMatrix matrix = w;
  if (is_wgrad()) { matrix.scale = w_scales.of(expert, {}).at(0, 0); }
  matrix.bytes.data = call->convention == ASSAY_OFFSETS_PROBLEMS && call->w_ptrs != nullptr
                          ? static_cast<std::byte*>(call->w_ptrs[expert])
                          : w.bytes.data + expert * w_pitch_bytes;
  return matrix;
}

GroupProduct CallView::product(Index expert, const RowGroup& group) const {
  const ElementMatrix weights = weights_of(expert);
  const ElementMatrix rows_x = x.row_block(group.start, group.count);
  const ElementMatrix rows_y = y.row_block(group.start, group.count);
  switch (call->pass) {
    case ASSAY_FWD:
      return {rows_x, weights, {rows_y.bytes, rows_y.format, rows_y.scale, bias_of(expert)}};
    case ASSAY_DGRAD:
      return {rows_y, weights.transposed(), rows_x};
    default:
      return {rows_x.transposed(), rows_y, weights};
  }
}

GroupProduct CallView::scaled_product(Index expert, const RowGroup& group) const {
  GroupProduct scaled = product(expert, group);
  const ScaleMatrix of_x = x_scales.of(expert, group);
  const ScaleMatrix of_w = w_scales.of(expert, group);
  const ScaleMatrix of_y = y_scales.of(expert, group);
  scaled.a_scales = call->pass == ASSAY_FWD     ? of_x
                    : call->pass == ASSAY_DGRAD ? of_y
                                                : of_x.transposed();
  scaled.b_scales = call->pass == ASSAY_FWD     ? of_w
                    : call->pass == ASSAY_DGRAD ? of_w.transposed()
                                                : of_y;
  return scaled;
}

int answer(const assay_call& call, int code, const char* message) {
  if (call.message != nullptr && call.message_bytes > 0) {
    std::snprintf(call.message, call.message_bytes, "%s", message);
  }
  return code;
}

int open_call(const assay_call& call, CallView& view) {
  if (const int code = check_sizes(call); code != ASSAY_OK) { return code; }
  Format x = Format::kFp32, w = Format::kFp32, y = Format::kFp32;
  if (!format_of(call.x->dtype, x) || !format_of(call.w->dtype, w) ||
      !format_of(call.y->dtype, y)) {
    return answer(call, ASSAY_UNSUPPORTED, "takes bf16, fp16, fp32, e4m3, e5m2, e2m1 and int8");
  }
  if (const int code = check_formats(call, x, w, y); code != ASSAY_OK) { return code; }
  for (const assay_tensor* tensor :
       {call.x, call.w, call.y, call.offsets, call.sizes, call.x_scale, call.w_scale, call.y_scale,
        call.x_tensor_scale, call.w_tensor_scale, call.y_tensor_scale, call.bias}) {
    if (tensor != nullptr && tensor->device.device_type != kCpuDevice) {
      return answer(call, ASSAY_UNSUPPORTED, "takes operands in host memory");
    }
  }
  view.call = &call;
  view.x = matrix_of(*call.x, x);
  view.y = matrix_of(*call.y, y);
  view.w = matrix_of(*call.w, w);
  if (call.weights == ASSAY_ENK) { view.w = view.w.transposed(); }
  view.w_pitch_bytes = call.w->strides[0] * element_bytes(w);
  view.groups = GroupArrays{call.convention, call.experts,           call.rows,           call.pad,
                            call.cap,        array_of(call.offsets), array_of(call.sizes)};
  if (!read_scales(call, *call.x, call.x_scale, call.x_scale_block, call.x_scale_ptrs,
                   view.x_scales) ||
      !read_scales(call, *call.w, call.w_scale, call.w_scale_block, call.w_scale_ptrs,
                   view.w_scales) ||
      !read_scales(call, *call.y, call.y_scale, call.y_scale_block, call.y_scale_ptrs,
                   view.y_scales)) {
    return answer(call, ASSAY_UNSUPPORTED,
                  "takes scales in fp32, e8m0 and e4m3, strided or in tiles of 32_4_4");
  }
  if (!read_tensor_scale(call.x_tensor_scale, call.experts, false, view.x_scales) ||
      !read_tensor_scale(call.w_tensor_scale, call.experts, true, view.w_scales) ||
      !read_tensor_scale(call.y_tensor_scale, call.experts, false, view.y_scales)) {
    return answer(call, ASSAY_UNSUPPORTED,
                  "takes tensor scales of fp32, [1] of x and y, [experts] of w");
  }
  if (call.convention == ASSAY_OFFSETS_PROBLEMS) {
    if (call.x_ptrs == nullptr || call.w_ptrs == nullptr || call.y_ptrs == nullptr) {
      return answer(call, ASSAY_ERROR, "problems wants x_ptrs, w_ptrs and y_ptrs");
    }
    read_problem_arrays(view);
  }
  if (call.pass != ASSAY_WGRAD && call.experts > 0) {
    const bool fwd = call.pass == ASSAY_FWD;
    (fwd ? view.y : view.x).scale = (fwd ? view.y_scales : view.x_scales).of(0, {}).at(0, 0);
  }
  return open_bias(view);
}

namespace {

// Pointers may name experts' rows in any order: sorted, they show which share a row. The number of
// such an expert, or -1.
Index overlapping_expert(const CallView& view) {
  struct Taken {
    Index start, end, expert;
  };
  std::vector<Taken> taken;
  GroupReader reader(view.groups);
  for (Index expert = 0; expert < view.call->experts; ++expert) {
    const RowGroup group = reader.next();
    if (group.count == 0) { continue; }
    taken.push_back({group.start, group.start + group.count, expert});
  }
  std::sort(taken.begin(), taken.end(),
            [](const Taken& one, const Taken& other) { return one.start < other.start; });
  for (std::size_t i = 1; i < taken.size(); ++i) {
    if (taken[i].start < taken[i - 1].end) { return taken[i].expert; }
  }
  return -1;
}

}  // namespace

int check_groups(CallView& view) {
  const assay_call& call = *view.call;
  if (!lengths_fit(view.groups)) {
    return answer(call, ASSAY_ERROR, "the offset arrays have not the length of their convention");
  }
  GroupReader reader(view.groups);
  char message[128];
  bool in_order = true;
  Index end = 0;
  for (Index expert = 0; expert < call.experts; ++expert) {
    const RowGroup group = reader.next();
    if (group.count > 0) {
      in_order = in_order && group.start >= end;
      end = group.start + group.count;
    }
    const bool pointers_agree =
        call.convention != ASSAY_OFFSETS_PROBLEMS || group.count == 0 ||
        (call.x_ptrs[expert] == view.x.row_block(group.start, 0).bytes.data &&
         call.y_ptrs[expert] == view.y.row_block(group.start, 0).bytes.data);
    if (!group.valid || !pointers_agree) {
      std::snprintf(message, sizeof message,
                    "offsets of expert %lld are invalid: its rows cannot lie in [0, %lld)",
                    static_cast<long long>(expert), static_cast<long long>(call.rows));
      return answer(call, ASSAY_ERROR, message);
    }
  }
  try {
    for (OperandScales* scales : {&view.x_scales, &view.y_scales}) { count_blocks(view, *scales); }
  } catch (const std::bad_alloc&) { return answer(call, ASSAY_ERROR, "out of memory"); }
  if (!in_order) {
    try {
      if (const Index expert = overlapping_expert(view); expert >= 0) {
        std::snprintf(message, sizeof message, "rows of expert %lld are another expert's, too",
                      static_cast<long long>(expert));
        return answer(call, ASSAY_ERROR, message);
      }
    } catch (const std::bad_alloc&) { return answer(call, ASSAY_ERROR, "out of memory"); }
  }
  if (!reader.rest_is_valid()) {
    return answer(call, ASSAY_ERROR, "row ids after the last expert's rows are not -1");
  }
  return ASSAY_OK;
}

}  // namespace assay
