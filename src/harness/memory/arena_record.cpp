// The call that fits an arena's memory.
#include <algorithm>
#include <cstring>

#include "src/harness/memory/arena.h"

namespace assay {
namespace {

constexpr std::uint8_t kDlInt = 0;

// DLPack's type codes.
void set_type(TensorRecord& record, Format format) {
  record.bits = static_cast<std::uint8_t>(8 * size_bytes(format));
  switch (format) {
    case Format::kBf16:
      record.code = 4;
      break;
    case Format::kFp16:
    case Format::kFp32:
      record.code = 2;
      break;
    case Format::kE4m3:
      record.code = 10;
      break;
    case Format::kE5m2:
      record.code = 12;
      break;
  }
}

int abi_of(Pass pass) {
  return pass == Pass::kFwd ? ASSAY_FWD : pass == Pass::kDgrad ? ASSAY_DGRAD : ASSAY_WGRAD;
}

int abi_of(Convention convention) {
  switch (convention) {
    case Convention::kEnds:
      return ASSAY_OFFSETS_ENDS;
    case Convention::kStarts:
      return ASSAY_OFFSETS_STARTS;
    case Convention::kIndptr:
      return ASSAY_OFFSETS_INDPTR;
    case Convention::kCounts:
      return ASSAY_OFFSETS_COUNTS;
    case Convention::kRowIds:
      return ASSAY_OFFSETS_ROW_IDS;
    case Convention::kMasked:
      return ASSAY_OFFSETS_MASKED;
    case Convention::kPaddedEnds:
      return ASSAY_OFFSETS_PADDED_ENDS;
    case Convention::kProblems:
      break;
  }
  return ASSAY_OFFSETS_PROBLEMS;
}

// As many entries of the told type as the array's bytes hold.
TensorRecord array_record(std::uint64_t address, Index bytes, IndexType told) {
  TensorRecord record{.address = address, .dims = 1, .code = kDlInt};
  record.bits = told == IndexType::kI32 ? 32 : 64;
  record.shape[0] = bytes * 8 / record.bits;
  record.strides[0] = 1;
  return record;
}

}  // namespace

TensorRecord Arena::matrix_record(const Problem& problem, Role role) const {
  const CaseSpec& spec = problem.spec;
  const Area area = area_of(role);
  TensorRecord record{.address = address(area), .dims = 2};
  set_type(record, problem.operands[role].format);
  std::int64_t* shape = record.shape;
  std::int64_t* strides = record.strides;
  if (role == Role::kW) {
    record.dims = 3;
    *shape++ = spec.experts();
    *strides++ = expert_pitch(spec);
  }
  shape[0] = role == Role::kW ? storage_rows(spec) : problem.layout.physical_rows;
  shape[1] = role == Role::kX ? spec.k : role == Role::kY ? spec.n : storage_cols(spec);
  strides[0] = row_pitch(spec, role);
  strides[1] = 1;
  return record;
}

AreaRecord Arena::area_record(Area area) const {
  const Placed& placed = placed_[static_cast<std::size_t>(area)];
  if (placed.region == nullptr) { return {}; }
  const bool matrix = area == Area::kX || area == Area::kW || area == Area::kY;
  const Role role = area == Area::kX ? Role::kX : area == Area::kW ? Role::kW : Role::kY;
  return {.region = placed.region->place().address,
          .region_bytes = placed.region->bytes(),
          .begin = placed.begin,
          .extent = placed.extent,
          .sparse = matrix && images_[role].sparse ? 1 : 0};
}

void Arena::describe_offsets(const Problem& problem, CallRecord& record) const {
  const OffsetsKind told = problem.spec.told;
  const Convention actual = problem.offsets.kind.convention;
  const std::size_t primary_bytes = contents_[static_cast<std::size_t>(Area::kOffsets)].size();
  const TensorRecord primary =
      array_record(address(Area::kOffsets), static_cast<Index>(primary_bytes), told.type);
  if (told.convention != Convention::kProblems) {
    record.offsets = primary;
    if (told.convention == Convention::kStarts && region(Area::kSizes) != nullptr) {
      const std::size_t bytes = contents_[static_cast<std::size_t>(Area::kSizes)].size();
      record.sizes = array_record(address(Area::kSizes), static_cast<Index>(bytes), told.type);
    }
    return;
  }
  record.sizes = primary;
  if (actual != Convention::kProblems) { return; }
  record.sizes.dims = 2;
  record.sizes.shape[0] = problem.spec.experts();
  record.sizes.shape[1] = 3;
  record.sizes.strides[0] = 3;
  record.sizes.strides[1] = 1;
  record.x_ptrs = address(Area::kXPtrs);
  record.w_ptrs = address(Area::kWPtrs);
  record.y_ptrs = address(Area::kYPtrs);
}

CallRecord Arena::record(const Problem& problem, const Manifest& manifest,
                         const RunOptions& options) const {
  const CaseSpec& spec = problem.spec;
  const Convention told = spec.told.convention;
  CallRecord record;
  record.pass = abi_of(spec.pass);
  record.output = area_of(output_role(spec.pass));
  record.convention = abi_of(told);
  record.weights = spec.weights == WeightsLayout::kEnk ? ASSAY_ENK : ASSAY_EKN;
  record.accumulate = spec.acc > 0 ? 1 : 0;
  record.experts = spec.experts();
  record.k = spec.k;
  record.n = spec.n;
  record.rows = problem.layout.physical_rows;
  if (told == Convention::kPaddedEnds || told == Convention::kRowIds) { record.pad = spec.pad; }
  if (told == Convention::kMasked) { record.cap = frame_of(spec).cap; }
  record.x = matrix_record(problem, Role::kX);
  record.w = matrix_record(problem, Role::kW);
  record.y = matrix_record(problem, Role::kY);
  describe_offsets(problem, record);
  record.workspace = address(Area::kWorkspace);
  record.workspace_bytes = manifest.workspace_bytes;
  record.status = address(Area::kStatus);
  record.threads = options.threads;
  record.flush_high = options.placement == Placement::kHigh ? 1 : 0;
  record.offsets_on_host = problem.offsets.kind.place == OffsetsPlace::kHost ? 1 : 0;
  for (int i = 0; i < kAreas; ++i) { record.areas[i] = area_record(static_cast<Area>(i)); }
  std::copy(spec.tactic.begin(), spec.tactic.end(), record.tactic);
  return record;
}

}  // namespace assay
