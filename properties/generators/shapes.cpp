// Generators that favour a kind of shape: conventions with gaps, strides, primes, long reductions,
// many tiles.
#include <algorithm>

#include "properties/generators/draw.h"
#include "properties/generators/fit.h"
#include "properties/generators/generator.h"
#include "src/problem/convention.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

void draw_few_experts(CaseSpec& spec, Rng& rng, Index most_rows) {
  for (Index experts = rng.between(1, 6); experts > 0; --experts) {
    spec.rows.push_back(rng.chance(1, 6) ? 0 : rng.between(1, most_rows));
  }
}

// Buffers and tails up to a thousand times as long as what lies in them, as where room for every
// token is kept for each expert.
void leave_much_room(CaseSpec& spec, Rng& rng, const Manifest& manifest) {
  constexpr Index kMostElements = Index{1} << 20;  // of an operand
  const Index valid = std::max<Index>(1, total_rows(spec));
  const Index most = kMostElements / std::max(spec.k, spec.n);
  const Index room = std::min(valid * rng.between(2, 1000), most);
  const bool buffers = traits(spec.offsets.convention).has_buffers;
  Index& length = buffers ? spec.cap : spec.tail;
  const Index least = buffers ? buffer_rows(spec) : 0;
  length = std::max(least, align_up(buffers ? room / spec.experts() : room, manifest.row_multiple));
}

}  // namespace

CaseSpec draw_conventions(Rng& rng, const Manifest& manifest) {
  CaseSpec spec = draw_frame(rng, manifest);
  draw_few_experts(spec, rng, 40);
  draw_k_and_n(spec, rng, manifest, kSmallProducts);
  if (traits(spec.offsets.convention).expresses_gaps) {
    static const std::vector<Index> kPads = {3, 4, 8, 16, 64, 128};
    spec.pad = draw_pad(rng, kPads, manifest);
  }
  settle_layout(spec, rng, manifest);
  if (!traits(spec.offsets.convention).has_buffers && spec.tail == 0) {
    spec.tail = rng.between(0, 9);
  }
  if (rng.chance(1, 12)) { leave_much_room(spec, rng, manifest); }
  return spec;
}

CaseSpec draw_strides(Rng& rng, const Manifest& manifest) {
  CaseSpec spec = draw_frame(rng, manifest);
  draw_few_experts(spec, rng, 60);
  draw_k_and_n(spec, rng, manifest, kSmallProducts);
  for (const Role role : kAllRoles) {
    spec.ld[role] = fit_gap(rng.between(0, 9) * manifest.ld_multiple, manifest);
    const Index unit = std::max(manifest.base_bytes, size_bytes(format_of(spec, role)));
    spec.base[role] = rng.between(0, 7) * unit % 256;
  }
  spec.wpitch = fit_gap(rng.between(0, 5) * manifest.ld_multiple, manifest);
  settle_layout(spec, rng, manifest);
  return spec;
}

CaseSpec draw_primes(Rng& rng, const Manifest& manifest) {
  static const std::vector<Index> kPrimes = {1,  2,  3,  5,  7,   11,  13, 17,
                                             31, 37, 61, 67, 127, 131, 257};
  CaseSpec spec = draw_frame(rng, manifest);
  spec.k = to_multiple(rng.pick(kPrimes), manifest.multiple(Axis::kK, spec.pass));
  spec.n = to_multiple(rng.pick(kPrimes), manifest.multiple(Axis::kN, spec.pass));
  draw_few_experts(spec, rng, 30);
  limit_products(spec, 4 * kSmallProducts);
  settle_layout(spec, rng, manifest);
  return spec;
}

CaseSpec draw_long_reduction(Rng& rng, const Manifest& manifest) {
  CaseSpec spec = draw_frame(rng, manifest);
  const Index length = rng.between(512, 4096);
  const Index k_or_n = rng.between(1, 24);
  const Axis depth = operation(spec.pass).depth();
  spec.k = to_multiple(depth == Axis::kK ? length : k_or_n, manifest.multiple(Axis::kK, spec.pass));
  spec.n = to_multiple(depth == Axis::kN ? length : rng.between(1, 24),
                       manifest.multiple(Axis::kN, spec.pass));
  draw_few_experts(spec, rng, depth == Axis::kRows ? 1500 : 12);
  limit_products(spec, 16 * kSmallProducts);
  settle_layout(spec, rng, manifest);
  return spec;
}

CaseSpec draw_many_tiles(Rng& rng, const Manifest& manifest) {
  CaseSpec spec = draw_frame(rng, manifest);
  // More than two of the largest declared tile in the output's rows and columns and in the
  // reduction.
  DeclaredTile tile{"", 128, 128, 64};
  if (!manifest.tiles.empty()) { tile = {"", 1, 1, 1}; }
  for (const DeclaredTile& declared : manifest.tiles) {
    tile.m = std::max(tile.m, declared.m);
    tile.n = std::max(tile.n, declared.n);
    tile.k = std::max(tile.k, declared.k);
  }
  const auto over_two = [&](Index size) { return 2 * size + rng.between(5, 74); };
  const AxisSizes along = tile_along_axes(tile, spec.pass);
  const Index rows = over_two(along.rows);
  // Rounding down to a multiple must not fall back to two tiles.
  spec.k = to_multiple(over_two(along.k) + manifest.multiple(Axis::kK, spec.pass),
                       manifest.multiple(Axis::kK, spec.pass));
  spec.n = to_multiple(over_two(along.n) + manifest.multiple(Axis::kN, spec.pass),
                       manifest.multiple(Axis::kN, spec.pass));
  spec.rows = {rows, rng.between(0, 3), rng.between(40, 140)};
  rng.shuffle(spec.rows);
  settle_layout(spec, rng, manifest);
  return spec;
}

}  // namespace assay
