// Generator of cases whose inputs have scales.

#include <algorithm>

#include "properties/generators/draw.h"
#include "properties/generators/fit.h"
#include "properties/support/case_run.h"
#include "src/problem/convention.h"
#include "src/problem/scale_places.h"

namespace assay {
namespace {

constexpr Index kMostRows = 128;  // the border of an expert's
constexpr Index kMostTile = 512;  // elements of a tile of scales, a side

// Of the larger block, or of an ordinary one where a scale stands for the whole axis; along the
// reduction of what a kernel promotes at once, too.
Index border_of(const CaseSpec& spec, const Manifest& manifest, Axis axis) {
  constexpr Index kOrdinary = 16, kPromotion = 128;
  Index block = 1;
  for (const Role role : kAllRoles) {
    const auto own = input_block(spec, role);
    if (!own) { continue; }
    if (axes_of(role).rows == axis) { block = std::max(block, own->rows); }
    if (axes_of(role).cols == axis) { block = std::max(block, own->cols); }
  }
  const bool along = axis == operation(spec.pass).depth();
  if (scale_layout_of(spec) == ScaleLayout::k32x4x4) {
    // Past the first tile along the reduction, and across one of the operands.
    const Operation& op = operation(spec.pass);
    const bool wide = axis == (spec.seed % 2 == 0 ? op.m() : op.n());
    const Index tile = block * (along ? kTileAlong : kTileAcross);
    if ((along || wide) && tile <= kMostTile) { return tile; }
  }
  if (along) {
    const Index declared = manifest.arithmetic.promotion_interval;
    return std::max(block, declared > 0 ? declared : kPromotion);
  }
  return block == 1 ? kOrdinary : block;
}

// One block or less, its border and both neighbours, and three blocks of which the last is short.
Index draw_around(Rng& rng, Index block) {
  switch (rng.below(6)) {
    case 0:
      return rng.between(1, block);
    case 1:
      return std::max<Index>(1, block - 1);
    case 2:
      return block;
    case 3:
      return block + 1;
    default:
      return 2 * block + rng.between(1, block);
  }
}

// Blocks of scales that begin with each expert's rows want rows with gaps.
void prefer_gaps(CaseSpec& spec, const Manifest& manifest) {
  if (std::ssize(manifest.scale_starts) < 2 || !takes_scale_starts(spec)) { return; }
  std::vector<OffsetsKind> kinds = manifest.offsets;
  std::erase_if(kinds, [](const OffsetsKind& kind) {
    return !traits(kind.convention).expresses_gaps && !traits(kind.convention).has_buffers;
  });
  if (kinds.empty()) { return; }
  spec.offsets = spec.told = kinds[spec.seed % kinds.size()];
  if (!traits(spec.offsets.convention).has_buffers) {
    spec.pad = 1 + static_cast<Index>(spec.seed % 3);
  }
}

}  // namespace

bool applies_scaled(const Manifest& manifest) {
  return std::ranges::any_of(manifest.passes, [&](Pass pass) { return manifest.has_scales(pass); });
}

// Every combination comes once in each pass before any comes again.
CaseSpec nth_of_scaled(Rng& rng, const Manifest& manifest, Index index) {
  CaseSpec spec = draw_frame(rng, manifest);
  const Index passes = std::ssize(manifest.passes);
  set_nth_pass(spec, manifest, index);
  const auto formats = manifest.formats_of(spec.pass, true);
  use(formats[index / passes % std::ssize(formats)], spec);
  if (!may_accumulate(spec) || !manifest.accumulate) { spec.acc = 0; }
  prefer_gaps(spec, manifest);
  fit_scale_places(spec, manifest);
  spec.k = to_multiple(draw_around(rng, border_of(spec, manifest, Axis::kK)),
                       manifest.multiple(Axis::kK, spec.pass));
  spec.n = to_multiple(draw_around(rng, border_of(spec, manifest, Axis::kN)),
                       manifest.multiple(Axis::kN, spec.pass));
  const Index border = std::min<Index>(border_of(spec, manifest, Axis::kRows), kMostRows);
  for (Index experts = rng.between(1, 5); experts > 0; --experts) {
    spec.rows.push_back(rng.chance(1, 6) ? 0 : draw_around(rng, border));
  }
  limit_products(spec, 8 * kSmallProducts);
  settle_layout(spec, rng, manifest);
  return spec;
}

}  // namespace assay
