// Mutations of all words but rows.
#include <algorithm>

#include "fuzz/mutations.h"
#include "src/problem/convention.h"

namespace assay::mutations {
namespace {

// A size that kernels stumble over: a neighbour, or at and around a multiple of a tile's border.
Index change_size(Index size, const MutationSpace& space, Rng& rng) {
  static const std::vector<Index> kPrimes = {1, 2, 3, 5, 7, 11, 13, 17, 31, 37, 61, 67, 127, 131};
  switch (rng.below(4)) {
    case 0:
      return std::max<Index>(1, size + (rng.chance(1, 2) ? 1 : -1));
    case 1:
      return rng.pick(kPrimes);
    case 2:
      return std::max<Index>(1, rng.chance(1, 2) ? size * 2 : size / 2);
    default: {
      const Index multiple = rng.chance(3, 4) ? 1 : rng.between(2, 3);
      return std::max<Index>(1, rng.pick(space.borders) * multiple + rng.between(-1, 1));
    }
  }
}

Role any_role(Rng& rng) { return static_cast<Role>(rng.below(3)); }

// 0 about half of the time.
Index small_or_none(Rng& rng, Index most) { return rng.chance(1, 2) ? 0 : rng.between(1, most); }

}  // namespace

void change_k(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  spec.k = change_size(spec.k, space, rng);
}

void change_n(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  spec.n = change_size(spec.n, space, rng);
}

void swap_k_and_n(CaseSpec& spec, const MutationSpace&, Rng&) { std::swap(spec.k, spec.n); }

void change_pass(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  spec.pass = rng.pick(space.passes);
}

void change_formats(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  use(rng.pick(space.formats_of(spec.pass)), spec);
}

void change_accumulation(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  if (!space.accumulates) { return; }
  spec.acc = static_cast<int>(small_or_none(rng, 3));
  if (spec.acc == 0) { return; }
  spec.pass = passes_that_accumulate().front();
  spec.out = Format::kFp32;
}

void change_bias(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  spec.bias.reset();
  if (space.bias.empty() || rng.chance(1, 4)) { return; }
  spec.bias = rng.pick(space.bias);
  for (const Pass pass : space.passes) {
    if (operation(pass).adds_bias) { spec.pass = pass; }
  }
}

void change_offsets(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  spec.offsets = rng.pick(space.offsets);
  spec.told = spec.offsets;
}

void change_told(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  if (space.told_differs) { spec.told = rng.pick(space.offsets); }
}

void change_pad(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  static const std::vector<Index> kPads = {1, 2, 3, 4, 8, 16, 32, 128};
  spec.pad = rng.pick(kPads);
}

void change_cap(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  const Index most = *std::max_element(spec.rows.begin(), spec.rows.end());
  spec.cap = rng.chance(1, 2) ? 0 : most + rng.between(0, 5);
}

void change_tail(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  spec.tail = small_or_none(rng, rng.chance(1, 4) ? 70 : 5);
}

void change_weights(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  spec.weights = rng.pick(space.weights);
}

void change_ld(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  spec.ld[any_role(rng)] = small_or_none(rng, 9);
}

void change_wpitch(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  spec.wpitch = small_or_none(rng, 17);
}

void change_scale_pitch(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  spec.scale_pitch = rng.pick(space.scale_pitches) * rng.between(1, 17);
}

void change_scale_layout(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  spec.scale_layout = rng.pick(space.scale_layouts);
  spec.scale_starts = rng.pick(space.scale_starts);
}

void change_pointers(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  for (const OffsetsKind& kind : space.offsets) {
    if (traits(kind.convention).by_pointers) { spec.offsets = spec.told = kind; }
  }
  spec.pointers = static_cast<Pointers>(rng.below(3));
}

void change_base(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  static const std::vector<Index> kUnits = {1, 2, 4, 8, 16, 32, 64, 128};
  spec.base[any_role(rng)] = rng.chance(1, 2) ? 0 : rng.pick(kUnits) * rng.between(1, 3);
}

void change_fill(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  spec.fill = kAllFills[rng.below(std::size(kAllFills))];
}

void change_seed(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  spec.seed = static_cast<std::uint64_t>(rng.below(1'000'000));
}

void change_tactic(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  spec.tactic = rng.pick(space.tactics);
}

}  // namespace assay::mutations
