// Generators that count their cases off, so that none is left to luck: rows of an expert, rows in
// thousands, tiles a side.
#include <algorithm>
#include <iterator>

#include "properties/generators/draw.h"
#include "properties/generators/generator.h"
#include "properties/support/case_run.h"

namespace assay {
namespace {

// The counts of row_counts: 1 to 17, then three around each of these.
constexpr Index kLastInARow = 17;
constexpr Index kAround[] = {24, 48, 96, 192, 384};
constexpr Index kCountKinds = kLastInARow + 3 * std::ssize(kAround);

Index nth_count(Index number) {
  if (number < kLastInARow) { return number + 1; }
  const Index beyond = number - kLastInARow;
  return kAround[beyond / 3] + beyond % 3 - 1;
}

// Powers of two and the quarters between them, which fit some divisions by tiles, splits or
// clusters and not others. The smaller ones first: they cost least.
constexpr Index kThousands[] = {1024, 2048, 512,  4096, 1536, 8192,  768,   3072,  16384, 1280,
                                6144, 2560, 5120, 7168, 1792, 12288, 32768, 24576, 65536, 49152};

}  // namespace

CaseSpec nth_of_row_counts(Rng& rng, const Manifest& manifest, Index index) {
  CaseSpec spec = draw_frame(rng, manifest);
  const Index number = index % kCountKinds, round = index / kCountKinds;
  set_nth_pass(spec, manifest, number + round);
  spec.rows = {nth_count(number)};
  // Alone in each pass first; then among others.
  if (round >= std::ssize(manifest.passes)) {
    spec.rows.push_back(0);
    spec.rows.push_back(rng.between(1, 40));
    rng.shuffle(spec.rows);
  }
  draw_k_and_n(spec, rng, manifest, kSmallProducts);
  settle_layout(spec, rng, manifest);
  return spec;
}

CaseSpec nth_of_row_powers(Rng& rng, const Manifest& manifest, Index index) {
  CaseSpec spec = draw_frame(rng, manifest);
  const Index number = index % std::ssize(kThousands), round = index / std::ssize(kThousands);
  set_nth_pass(spec, manifest, number + round);
  // The count itself in every pass, then a row more, a row less.
  const Index passes = std::ssize(manifest.passes);
  constexpr Index kBeside[] = {0, 1, -1};
  const Index rows = kThousands[number] + kBeside[round / passes % 3];
  spec.rows = {rows};
  if ((number + round) % 2 == 1) {
    const Index first = rng.between(1, rows - 1);
    spec.rows = {first, 0, rows - first};
  }
  spec.k = draw_size(rng, 1, 8, manifest.k_multiple);
  spec.n = draw_size(rng, 1, 8, manifest.n_multiple);
  settle_layout(spec, rng, manifest);
  return spec;
}

CaseSpec nth_of_wide(Rng& rng, const Manifest& manifest, Index index) {
  constexpr Index kMostTiles = 16;
  constexpr Index kTile = 128;  // the usual side of a tile
  CaseSpec spec = draw_frame(rng, manifest);
  const Index round = index / kMostTiles, counted = index % kMostTiles + 1;
  set_nth_pass(spec, manifest, counted + round);
  const auto side = [&](Index tiles) { return kTile * tiles - rng.between(0, 3); };
  // One side of the output is counted off, the other is a few tiles long; both turn.
  const bool columns = (counted + round) % 2 == 0;
  const Index across = side(columns ? counted : rng.between(1, 2));
  const Index down = side(columns ? rng.between(1, 2) : counted);
  const auto size = [&](Axis axis) {
    const Operation& product = operation(spec.pass);
    return axis == product.n() ? across : axis == product.m() ? down : rng.between(1, 8);
  };
  spec.k = to_multiple(size(Axis::kK), manifest.k_multiple);
  spec.n = to_multiple(size(Axis::kN), manifest.n_multiple);
  spec.rows = {size(Axis::kRows), rng.between(0, 2)};
  rng.shuffle(spec.rows);
  settle_layout(spec, rng, manifest);
  return spec;
}

}  // namespace assay
