// The call that fits an arena's memory.
#include "src/harness/memory/arena.h"
#include "src/problem/convention.h"

namespace assay {
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
  const ConventionTraits& wanted = traits(told.convention);
  const std::size_t primary_bytes = contents_[static_cast<std::size_t>(Area::kOffsets)].size();
  const TensorRecord primary =
      index_array(address(Area::kOffsets), static_cast<Index>(primary_bytes), told.type);
  if (!wanted.by_pointers) {
    record.offsets = primary;
    if (wanted.has_sizes() && region(Area::kSizes) != nullptr) {
      const std::size_t bytes = contents_[static_cast<std::size_t>(Area::kSizes)].size();
      record.sizes = index_array(address(Area::kSizes), static_cast<Index>(bytes), told.type);
    }
    return;
  }
  record.sizes = primary;
  if (!traits(problem.offsets.kind.convention).by_pointers) { return; }
  record.sizes.dims = 2;
  record.sizes.shape[0] = problem.spec.experts();
  record.sizes.shape[1] = 3;
  record.sizes.strides[0] = 3;
  record.sizes.strides[1] = 1;
  for (const Role role : kAllRoles) {
    record.operands[role].pointers = address(pointers_of(role));
    record.operands[role].scale_pointers = address(scale_pointers_of(role));
  }
}

CallRecord Arena::record(const Problem& problem, const Manifest& manifest,
                         const RunOptions& options) const {
  const CaseSpec& spec = problem.spec;
  CallRecord record;
  static_cast<CallFacts&>(record) = facts_of(spec, problem.layout.physical_rows);
  record.output = area_of(output_role(spec.pass));
  for (const Role role : kAllRoles) {
    record.operands[role].elements.address = address(area_of(role));
    record.operands[role].scales.address = address(scales_of(role));
    record.operands[role].tensor_scale.address = address(tensor_scale_of(role));
  }
  record.bias.address = address(Area::kBias);
  describe_offsets(problem, record);
  record.workspace = address(Area::kWorkspace);
  record.workspace_bytes = manifest.workspace_of(spec);
  record.status = address(Area::kStatus);
  record.threads = options.threads;
  record.flush_high = options.placement == Placement::kHigh ? 1 : 0;
  record.offsets_on_host = problem.offsets.kind.place == OffsetsPlace::kHost ? 1 : 0;
  for (int i = 0; i < kAreas; ++i) { record.areas[i] = area_record(static_cast<Area>(i)); }
  return record;
}

}  // namespace assay
