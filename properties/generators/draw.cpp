#include "properties/generators/draw.h"

#include <algorithm>

#include "src/problem/convention.h"
#include "src/problem/problem.h"

namespace assay {
namespace {

constexpr Index kLongestRealReduction = 4096;
constexpr Index kMostWidth = 192;  // k and n of a small case

Fill draw_fill(Rng& rng) {
  // Exact fills find most mistakes, real ones find what exact ones cannot.
  static const std::vector<Fill> kFills = {Fill::kIntegers, Fill::kIntegers,  Fill::kAnchored,
                                           Fill::kAnchored, Fill::kCoded,     Fill::kNormal,
                                           Fill::kPositive, Fill::kLognormal, Fill::kCancelling,
                                           Fill::kSpecial,  Fill::kSparse};
  return rng.pick(kFills);
}

// From the seed, so that other cases are drawn as they were before there were these fills.
void vary_fill(CaseSpec& spec) {
  if (spec.fill == Fill::kSpecial && spec.seed % 3 == 0) { spec.fill = Fill::kExtreme; }
  if (spec.fill == Fill::kPositive && spec.seed % 4 == 0) { spec.fill = Fill::kEqual; }
}

void draw_formats(CaseSpec& spec, Rng& rng, const Manifest& manifest) {
  use(rng.pick(manifest.formats_of(spec.pass, false)), spec);
  const bool can_accumulate = operation(spec.pass).accumulates && manifest.accumulate &&
                              manifest.lists(spec.pass, spec.in, Format::kFp32);
  if (can_accumulate && rng.chance(1, 3)) {
    spec.acc = static_cast<int>(rng.between(1, 2));
    spec.out = Format::kFp32;
  }
}

// Something that the manifest may exclude: a convention, a layout or a stride.
void step_outside(CaseSpec& spec, Rng& rng) {
  switch (rng.below(3)) {
    case 0:
      spec.offsets =
          spec.told = {.convention = kAllConventions[rng.below(std::size(kAllConventions))]};
      break;
    case 1:
      spec.weights =
          spec.weights == WeightsLayout::kEnk ? WeightsLayout::kEkn : WeightsLayout::kEnk;
      break;
    default:
      spec.ld = {1, 1, 1};
  }
}

}  // namespace

Index to_multiple(Index size, Index multiple) {
  const Index unit = std::max<Index>(1, multiple);
  return std::max(unit, size / unit * unit);
}

Index draw_size(Rng& rng, Index least, Index most, Index multiple) {
  return to_multiple(rng.between(least, most), multiple);
}

bool draws_outside(Rng rng) { return rng.chance(1, 16); }

CaseSpec draw_frame(Rng& rng, const Manifest& manifest) {
  CaseSpec spec;
  const bool outside = draws_outside(rng);
  rng.next();
  spec.pass = rng.pick(manifest.passes);
  draw_formats(spec, rng, manifest);
  spec.weights = rng.pick(manifest.weights);
  spec.offsets = spec.told = rng.pick(manifest.offsets);
  spec.fill = draw_fill(rng);
  // Six decimal digits: a line that one can read aloud.
  spec.seed = static_cast<std::uint64_t>(rng.below(1'000'000));
  vary_fill(spec);
  if (!manifest.tactics.empty() && rng.chance(1, 2)) { spec.tactic = rng.pick(manifest.tactics); }
  if (outside) { step_outside(spec, rng); }
  return spec;
}

void draw_k_and_n(CaseSpec& spec, Rng& rng, const Manifest& manifest, Index products) {
  const Index rows = std::max<Index>(1, total_rows(spec));
  const Index k_multiple = manifest.multiple(Axis::kK, spec.pass);
  const Index n_multiple = manifest.multiple(Axis::kN, spec.pass);
  const Index least_n = std::max<Index>(1, n_multiple);
  const Index most_k = std::clamp<Index>(products / rows / least_n, 1, kMostWidth);
  spec.k = draw_size(rng, 1, most_k, k_multiple);
  const Index most_n = std::clamp<Index>(products / rows / spec.k, 1, kMostWidth);
  spec.n = draw_size(rng, 1, most_n, n_multiple);
  // Square weights hide a transpose from every check of shapes.
  if (rng.chance(1, 10)) { spec.n = to_multiple(std::min(spec.k, most_n), n_multiple); }
  if (rng.chance(1, 10) && spec.n % std::max<Index>(1, k_multiple) == 0) { spec.k = spec.n; }
}

Index draw_pad(Rng& rng, const std::vector<Index>& pads, const Manifest& manifest) {
  if (manifest.row_multiple == 1) { return rng.pick(pads); }
  return manifest.row_multiple * rng.between(1, 3);
}

void limit_products(CaseSpec& spec, Index products) {
  while (multiply_adds(spec) > products && total_rows(spec) > spec.experts()) {
    for (Index& rows : spec.rows) { rows = (rows + 1) / 2; }
  }
}

void keep_narrow(CaseSpec& spec) {
  spec.k = std::min(spec.k, kMostWidth);
  spec.n = std::min(spec.n, kMostWidth);
}

void settle_fill(CaseSpec& spec) {
  if (!is_exact(spec.fill) && longest_reduction(spec) > kLongestRealReduction) {
    spec.fill = Fill::kPositive;
  }
}

namespace {

// From the seed, so that other cases are drawn as they were before pointers could lead anywhere.
void settle_pointers(CaseSpec& spec) {
  spec.pointers = Pointers::kInOrder;
  if (!traits(spec.offsets.convention).by_pointers || spec.told != spec.offsets) { return; }
  if (spec.seed % 3 == 0) { return; }
  const bool shares = spec.seed % 3 == 1 && output_role(spec.pass) != Role::kW;
  spec.pointers = shares ? Pointers::kShared : Pointers::kScattered;
}

}  // namespace

void settle_layout(CaseSpec& spec, Rng& rng, const Manifest& manifest) {
  settle_fill(spec);
  spec.cap = 0;
  if (traits(spec.offsets.convention).has_buffers) {
    const Index most = std::max<Index>(1, *std::ranges::max_element(spec.rows));
    if (rng.chance(1, 2)) {
      spec.cap = most + rng.below(5) * std::max<Index>(1, manifest.row_multiple);
    }
    spec.tail = 0;
    return;
  }
  if (traits(spec.offsets.convention).expresses_gaps && spec.pad == 1 && rng.chance(1, 2)) {
    static const std::vector<Index> kPads = {2, 4, 8, 16, 32, 128};
    spec.pad = draw_pad(rng, kPads, manifest);
  }
  if (rng.chance(1, 3)) { spec.tail = rng.between(1, 40); }
  settle_pointers(spec);
}

}  // namespace assay
