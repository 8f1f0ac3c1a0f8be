#include "src/harness/memory/arena.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "src/core/machine_memory.h"
#include "src/core/require.h"
#include "src/harness/memory/case_memory.h"
#include "src/harness/memory/packed_image.h"
#include "src/harness/memory/scale_image.h"
#include "src/harness/memory/sparse_image.h"
#include "src/problem/convention.h"
#include "src/problem/scale_places.h"

namespace assay {
namespace {

MatrixImage image_of(const Problem& problem, const Manifest& manifest, const RunOptions& options,
                     Role role) {
  const Format format = problem.operands[role].format;
  MatrixImage image;
  image.operand = name(role);
  image.poison = &PoisonPattern::of(format, options.poison);
  image.unwritten = options.output_cleared ? &PoisonPattern::zeros()
                                           : &PoisonPattern::unwritten(format, options.poison);
  image.output = role == output_role(problem.spec.pass);
  if (!image.output || problem.spec.acc > 0) { image.dense = problem.operands[role].bits.data(); }
  image.keep_owned = options.keep_arena;
  image.zero_padding = manifest.padding_input == PaddingInput::kZeros;
  image.padding_rows = manifest.padding_rows;
  image.tail_rows = manifest.tail_rows;
  return image;
}

}  // namespace

std::string_view name(Area area) {
  constexpr std::string_view kNames[kAreas] = {"x",
                                               "w",
                                               "y",
                                               "offsets",
                                               "sizes",
                                               "x_ptrs",
                                               "w_ptrs",
                                               "y_ptrs",
                                               "workspace",
                                               "status",
                                               "x_scale",
                                               "w_scale",
                                               "y_scale",
                                               "x_scale_ptrs",
                                               "w_scale_ptrs",
                                               "y_scale_ptrs",
                                               "x_tensor_scale",
                                               "w_tensor_scale",
                                               "y_tensor_scale",
                                               "bias"};
  return kNames[at(area)];
}

Result<Region*> Arena::region_of(Area area, Index bytes, std::optional<Index> resident) {
  Store& store = stores_[at(area)];
  const Index wanted = region_bytes(bytes, resident.has_value());
  std::unique_ptr<Region>& slot =
      wanted <= kSmallRegionBytes
          ? store.small[std::countr_zero(static_cast<std::uint64_t>(wanted / kPageBytes))]
          : store.large;
  if (slot != nullptr && slot->bytes() == wanted) { return slot.get(); }
  slot.reset();  // its memory goes before the new one comes
  if (const Index needed = resident.value_or(wanted); needed >= MemoryBudget::kCountedFrom) {
    if (const Index available = available_memory(); needed > available) {
      return run_short(fmt::format("{} needs {} of memory, {} are available", name(area),
                                   memory_text(needed), memory_text(available)));
    }
  }
  auto made = memory_.make_region(wanted);
  if (!made) {
    return run_short(
        fmt::format("{} cannot have {} bytes: {}", name(area), bytes, made.error().message));
  }
  slot = std::move(*made);
  return slot.get();
}

Status Arena::place(Area area, const Wish& wish, Placement placement) {
  Index wanted = 0;
  if (__builtin_add_overflow(wish.extent, wish.misalignment, &wanted)) {
    return make_error(fmt::format("{} is too large", name(area)));
  }
  const auto region = region_of(area, wanted, wish.resident);
  ASSAY_TRY(region);
  Placed& placed = placed_[at(area)];
  placed.region = *region;
  placed.extent = wish.extent;
  placed.begin = wish.misalignment;
  if (placement == Placement::kHigh) {
    const Index highest = placed.region->bytes() - wish.extent - wish.misalignment;
    placed.begin += highest / wish.alignment * wish.alignment;
  }
  return {};
}

Status Arena::place_matrix(const Problem& problem, const Manifest& manifest,
                           const RunOptions& options, Role role) {
  auto plan = plan_operand(problem, role, manifest.row_multiple);
  ASSAY_TRY(plan);
  MatrixImage& image = images_[role];
  image = image_of(problem, manifest, options, role);
  if (image.dense != nullptr && traits(plan->format).packed() > 1) {
    packed_[role] = pack_codes(problem.operands[role]);
    image.dense = packed_[role].data();
  }
  image.plan = std::move(*plan);
  image.sparse = is_sparse(image.plan.extent_bytes, image.plan.element_bytes());
  // Flush with the upper page as closely as the alignment that kernels count on permits.
  constexpr Index kLeastAlignment = 16;
  Wish wish{.extent = image.plan.extent_bytes,
            .alignment = std::clamp(manifest.base_bytes, kLeastAlignment, kPageBytes),
            .misalignment = problem.spec.base[role]};
  if (image.sparse) {
    wish.resident = resident_bytes(problem.spec, role, problem.layout.physical_rows);
  }
  if (Status placed = place(area_of(role), wish, options.placement); !placed) { return placed; }
  image.region = placed_[at(area_of(role))].region;
  image.begin = placed_[at(area_of(role))].begin;
  if (image.sparse) { image.row_pages = pages_with_rows(image.plan, image.begin); }
  write_image(image);
  return {};
}

void Arena::write_slack(Area area, const PoisonPattern& poison) const {
  const Placed& placed = placed_[at(area)];
  const Index above = placed.begin + placed.extent;
  poison.fill(placed.region->data(), placed.begin, -placed.begin);
  poison.fill(placed.region->data() + above, placed.region->bytes() - above, placed.extent);
}

Status Arena::place_array(Area area, std::vector<std::byte> content, Index alignment,
                          const PoisonPattern& poison, Placement placement) {
  const Wish wish{.extent = static_cast<Index>(content.size()), .alignment = alignment};
  if (Status placed = place(area, wish, placement); !placed) { return placed; }
  poisons_[at(area)] = &poison;
  write_slack(area, poison);
  if (!content.empty()) { std::memcpy(base(area), content.data(), content.size()); }
  contents_[at(area)] = std::move(content);
  return {};
}

Status Arena::place_offsets(const Problem& problem, const RunOptions& options) {
  StoredOffsets stored = store_offsets(problem.offsets);
  const PoisonPattern& poison = PoisonPattern::of(stored.type, options.poison);
  const Index entry = stored.type == IndexType::kI32 ? 4 : 8;
  const ConventionTraits& row = traits(problem.offsets.kind.convention);
  if (Status placed =
          place_array(Area::kOffsets, std::move(stored.primary), entry, poison, options.placement);
      !placed || row.by_pointers || !row.has_sizes()) {
    return placed;
  }
  return place_array(Area::kSizes, std::move(stored.sizes), entry, poison, options.placement);
}

Status Arena::place_scales(const Problem& problem, const Manifest& manifest, Role role,
                           const RunOptions& options) {
  if (!problem.scales[role].present()) { return {}; }
  constexpr Index kAlignment = 16;
  const bool zero_padding = manifest.padding_input == PaddingInput::kZeros;
  Status placed =
      place_array(scales_of(role), store_scales(problem, role, zero_padding), kAlignment,
                  PoisonPattern::of(problem.scales[role].format), options.placement);
  if (const auto& tensors = problem.scales[role].tensor_scales; placed && !tensors.empty()) {
    const auto* bytes = reinterpret_cast<const std::byte*>(tensors.data());
    placed = place_array(tensor_scale_of(role), {bytes, bytes + tensors.size() * sizeof(float)},
                         sizeof(float), PoisonPattern::of(ScaleFormat::kFp32), options.placement);
  }
  if (!placed || !traits(problem.offsets.kind.convention).by_pointers) { return placed; }
  std::vector<std::byte> pointers;
  const ScalePlaces places = scale_places(problem.spec, role, problem.layout, problem.scales[role]);
  const Index size = traits(problem.scales[role].format).size_bytes;
  for (Index expert = 0; expert < problem.spec.experts(); ++expert) {
    const std::uint64_t address = this->address(scales_of(role)) + places.first[expert] * size;
    const auto* bytes = reinterpret_cast<const std::byte*>(&address);
    pointers.insert(pointers.end(), bytes, bytes + sizeof address);
  }
  return place_array(scale_pointers_of(role), std::move(pointers), sizeof(void*),
                     PoisonPattern::of_bytes(options.poison), options.placement);
}

Status Arena::place_bias(const Problem& problem, const Manifest& manifest,
                         const RunOptions& options) {
  if (!problem.spec.bias) { return {}; }
  const Format format = *problem.spec.bias;
  return place_array(Area::kBias, problem.bias.bits,
                     std::max(manifest.base_bytes, size_bytes(format)),
                     PoisonPattern::of(format, options.poison), options.placement);
}

Status Arena::place_pointers(const Problem& problem, const RunOptions& options) {
  if (!traits(problem.offsets.kind.convention).by_pointers) { return {}; }
  const std::vector<Index> weights = weight_places(problem.spec);
  const auto pointers = [&](Role role) {
    std::vector<std::byte> bytes(problem.offsets.values.size() * sizeof(std::uint64_t));
    const Index pitch =
        role == Role::kW ? expert_pitch(problem.spec) : row_pitch(problem.spec, role);
    for (std::size_t expert = 0; expert < problem.offsets.values.size(); ++expert) {
      const Index row = role == Role::kW ? weights[expert] : problem.offsets.values[expert];
      const std::uint64_t address =
          this->address(area_of(role)) + row * stored_bytes(problem.operands[role].format, pitch);
      std::memcpy(bytes.data() + expert * sizeof address, &address, sizeof address);
    }
    return bytes;
  };
  constexpr Index kPointer = sizeof(void*);
  const PoisonPattern& poison = PoisonPattern::of_bytes(options.poison);
  for (const Role role : kAllRoles) {
    Status placed =
        place_array(pointers_of(role), pointers(role), kPointer, poison, options.placement);
    if (!placed) { return placed; }
  }
  return {};
}

Status Arena::place_workspace(const Problem& problem, const Manifest& manifest,
                              const RunOptions& options) {
  const PoisonPattern& poison = PoisonPattern::of_bytes(options.poison);
  const std::vector<std::byte> zero_status(sizeof(std::int32_t));
  const std::uint64_t bytes = manifest.workspace_of(problem.spec);
  if (Status placed =
          place_array(Area::kStatus, zero_status, sizeof(std::int32_t), poison, options.placement);
      !placed || bytes == 0) {
    return placed;
  }
  // Just as aligned as declared: a kernel that counts on more meets what its callers give it.
  const Wish wish{.extent = static_cast<Index>(bytes),
                  .alignment = 2 * manifest.workspace_alignment,
                  .misalignment = manifest.workspace_alignment};
  if (Status placed = place(Area::kWorkspace, wish, options.placement); !placed) { return placed; }
  poisons_[at(Area::kWorkspace)] = &poison;
  write_slack(Area::kWorkspace, poison);
  if (!options.workspace_dirty) {
    std::memset(base(Area::kWorkspace), 0, bytes);
  } else if (!options.keep_arena) {
    poison.fill(base(Area::kWorkspace), wish.extent, 0);
  }
  return {};
}

Result<CallRecord> Arena::prepare(const Problem& problem, const Manifest& manifest,
                                  const RunOptions& options) {
  ASSAY_REQUIRE(options.poison == 0 || options.poison == 1, options.poison);
  if (problem.spec.tactic.size() >= kTacticBytes) {
    return make_error(fmt::format("tactic '{}' is longer than {} letters", problem.spec.tactic,
                                  kTacticBytes - 1));
  }
  placed_ = {};
  for (const Role role : {Role::kX, Role::kW, Role::kY}) {
    Status placed = place_matrix(problem, manifest, options, role);
    ASSAY_TRY(placed);
  }
  Status placed = place_offsets(problem, options);
  for (const Role role : kAllRoles) {
    if (placed) { placed = place_scales(problem, manifest, role, options); }
  }
  if (placed) { placed = place_bias(problem, manifest, options); }
  if (placed) { placed = place_pointers(problem, options); }
  if (placed) { placed = place_workspace(problem, manifest, options); }
  ASSAY_TRY(placed);
  const CallRecord call = record(problem, manifest, options);
  for (int i = 0; i < kAreas; ++i) {
    placed_[i].read_only = is_read_only(call, static_cast<Area>(i));
  }
  return call;
}

std::vector<RegionPlace> Arena::regions() const {
  std::vector<RegionPlace> places;
  for (const Placed& placed : placed_) {
    if (placed.region != nullptr) { places.push_back(placed.region->place()); }
  }
  return places;
}

std::optional<AddressPlace> Arena::locate(std::uint64_t address) const {
  for (int i = 0; i < kAreas; ++i) {
    const Placed& placed = placed_[i];
    if (placed.region == nullptr || !placed.region->place().in_window(address)) { continue; }
    const std::uint64_t first = placed.region->place().address + placed.begin;
    return AddressPlace{static_cast<Area>(i), static_cast<Index>(address - first), placed.extent,
                        placed.read_only};
  }
  return std::nullopt;
}

std::byte* Arena::base(Area area) const {
  const Placed& placed = placed_[at(area)];
  return placed.region == nullptr ? nullptr : placed.region->data() + placed.begin;
}

const Region* Arena::region(Area area) const { return placed_[at(area)].region; }

std::uint64_t Arena::address(Area area) const {
  return reinterpret_cast<std::uint64_t>(base(area));
}

}  // namespace assay
