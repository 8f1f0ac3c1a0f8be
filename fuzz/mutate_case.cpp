#include "fuzz/mutate_case.h"

#include <algorithm>
#include <iterator>

#include "fuzz/mutations.h"
#include "src/problem/offsets.h"

namespace assay {
namespace {

constexpr Mutation kMutations[] = {
    {"merge_experts", mutations::merge_experts},
    {"split_expert", mutations::split_expert},
    {"swap_experts", mutations::swap_experts},
    {"empty_expert", mutations::empty_expert},
    {"insert_empty_experts", mutations::insert_empty_experts},
    {"insert_expert", mutations::insert_expert},
    {"remove_expert", mutations::remove_expert},
    {"move_boundary", mutations::move_boundary},
    {"nudge_count", mutations::nudge_count},
    {"aim_count", mutations::aim_count},
    {"move_all_rows", mutations::move_all_rows},
    {"scale_counts", mutations::scale_counts},
    {"reverse_experts", mutations::reverse_experts},
    {"change_k", mutations::change_k},
    {"change_n", mutations::change_n},
    {"swap_k_and_n", mutations::swap_k_and_n},
    {"change_pass", mutations::change_pass},
    {"change_formats", mutations::change_formats},
    {"change_accumulation", mutations::change_accumulation},
    {"change_bias", mutations::change_bias},
    {"change_offsets", mutations::change_offsets},
    {"change_told", mutations::change_told},
    {"change_pad", mutations::change_pad},
    {"change_cap", mutations::change_cap},
    {"change_tail", mutations::change_tail},
    {"change_weights", mutations::change_weights},
    {"change_ld", mutations::change_ld},
    {"change_wpitch", mutations::change_wpitch},
    {"change_scale_pitch", mutations::change_scale_pitch},
    {"change_scale_layout", mutations::change_scale_layout},
    {"change_base", mutations::change_base},
    {"change_pointers", mutations::change_pointers},
    {"change_fill", mutations::change_fill},
    {"change_seed", mutations::change_seed},
    {"change_tactic", mutations::change_tactic},
};

template <class T>
void append_new(std::vector<T>& list, const T& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) { list.push_back(item); }
}

// The same space, seven times out of eight with the quick limits.
MutationSpace mostly_quick(const MutationSpace& space, Rng& rng) {
  MutationSpace chosen = space;
  if (rng.chance(1, 8)) { return chosen; }
  chosen.max_products = std::min(space.max_products, space.quick_products);
  chosen.max_elements = std::min(space.max_elements, space.quick_elements);
  return chosen;
}

}  // namespace

std::span<const Mutation> all_mutations() { return kMutations; }

MutationSpace space_of(const Manifest& manifest) {
  MutationSpace space{.passes = manifest.passes,
                      .formats = manifest.formats,
                      .wgrad_formats = manifest.wgrad_formats,
                      .weights = manifest.weights,
                      .offsets = manifest.offsets,
                      .scale_pitches = manifest.scale_pitches,
                      .scale_layouts = manifest.scale_layouts,
                      .scale_starts = manifest.scale_starts,
                      .tactics = {"default"},
                      .borders = {},
                      .bias = manifest.bias,
                      .accumulates = manifest.accumulate};
  if (space.wgrad_formats.empty()) { space.wgrad_formats = space.formats; }
  for (const std::string& tactic : manifest.tactics) { append_new(space.tactics, tactic); }
  for (const DeclaredTile& tile : manifest.tiles) {
    for (const Index border : {tile.m, tile.n, tile.k}) { append_new(space.borders, border); }
  }
  for (const Index usual : {8, 16, 64}) { append_new(space.borders, usual); }
  return space;
}

MutationSpace whole_space() {
  MutationSpace space{.passes = {std::begin(kAllPasses), std::end(kAllPasses)},
                      .formats = {},
                      .wgrad_formats = {},
                      .weights = {WeightsLayout::kEnk, WeightsLayout::kEkn},
                      .offsets = all_offsets_kinds(),
                      .scale_pitches = {0, 1},
                      .scale_layouts = {ScaleLayout::kStrided, ScaleLayout::k32x4x4},
                      .scale_starts = {ScaleStarts::kCompact, ScaleStarts::kAligned},
                      .tactics = {"default", "rows64", "a.b:c-d+e_f"},
                      .borders = {8, 16, 64, 128},
                      .bias = {std::begin(kBiasFormats), std::end(kBiasFormats)},
                      .told_differs = true};
  for (const Format a : kAllFormats) {
    for (const Format b : kAllFormats) {
      for (const Format out : kAllFormats) {
        space.formats.push_back({Inputs({a, {}}, {b, {}}), out});
        if (may_be_scaled(traits(out))) {
          space.formats.push_back({Inputs({a, {}}, {b, {}}), Output(out, true)});
        }
      }
    }
  }
  space.wgrad_formats = space.formats;
  return space;
}

std::vector<Combination> MutationSpace::formats_of(Pass pass) const {
  std::vector<Combination> chosen = reduces_rows(pass) ? wgrad_formats : formats;
  std::erase_if(chosen, [&](const Combination& each) { return each.pass.value_or(pass) != pass; });
  return chosen;
}

CaseSpec simplest_case(const MutationSpace& space) {
  CaseSpec spec;
  spec.pass = space.passes.front();
  spec.in = space.formats.front().in;
  spec.out = space.formats.front().out;
  spec.offsets = spec.told = space.offsets.front();
  spec.weights = space.weights.front();
  spec.k = spec.n = 1;
  spec.rows = {1};
  Rng unused(0);
  settle_case(spec, space, unused);
  return spec;
}

CaseSpec mutate_case(const CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  CaseSpec mutated = spec;
  // One change most of the time: a small step that a feature can tell apart.
  const Index changes = rng.chance(1, 2) ? 1 : rng.between(2, 4);
  for (Index i = 0; i < changes; ++i) {
    all_mutations()[rng.below(std::size(kMutations))].apply(mutated, space, rng);
  }
  settle_case(mutated, mostly_quick(space, rng), rng);
  return mutated;
}

CaseSpec cross_cases(const CaseSpec& first, const CaseSpec& second, const MutationSpace& space,
                     Rng& rng) {
  CaseSpec crossed = first;
  const auto take = [&](auto CaseSpec::*field) {
    if (rng.chance(1, 2)) { crossed.*field = second.*field; }
  };
  const auto cut = [&](const std::vector<Index>& rows) {
    return rng.between(0, static_cast<Index>(rows.size()));
  };
  crossed.rows.assign(first.rows.begin(), first.rows.begin() + cut(first.rows));
  crossed.rows.insert(crossed.rows.end(), second.rows.begin() + cut(second.rows),
                      second.rows.end());
  take(&CaseSpec::pass);
  take(&CaseSpec::acc);
  take(&CaseSpec::bias);
  take(&CaseSpec::k);
  take(&CaseSpec::n);
  take(&CaseSpec::pad);
  take(&CaseSpec::tail);
  take(&CaseSpec::weights);
  take(&CaseSpec::ld);
  take(&CaseSpec::wpitch);
  take(&CaseSpec::scale_pitch);
  take(&CaseSpec::scale_layout);
  take(&CaseSpec::scale_starts);
  take(&CaseSpec::base);
  take(&CaseSpec::fill);
  take(&CaseSpec::seed);
  take(&CaseSpec::tactic);
  if (rng.chance(1, 2)) { crossed.in = second.in, crossed.out = second.out; }
  if (rng.chance(1, 2)) {
    crossed.offsets = second.offsets;
    crossed.told = second.told;
    crossed.cap = second.cap;
    crossed.pointers = second.pointers;
  }
  settle_case(crossed, mostly_quick(space, rng), rng);
  return crossed;
}

}  // namespace assay
