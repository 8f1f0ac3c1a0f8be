// K and N that are not multiples of a tile give the same answers.
#include <algorithm>

#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  const auto beside_tile = [](Index size, Index multiple, std::uint64_t salt) {
    constexpr Index kTiles[] = {8, 16, 32, 64, 128};
    const Index tile = kTiles[salt % std::size(kTiles)];
    const Index step = std::max<Index>(multiple, 1);
    const Index beside = tile * std::max<Index>(1, size / tile) + (salt % 3 == 0 ? -step : step);
    return std::max(step, beside / step * step);
  };
  spec.k = beside_tile(spec.k, manifest.k_multiple, spec.seed);
  spec.n = beside_tile(spec.n, manifest.n_multiple, spec.seed / 8);
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 87, .quick = 30, .ci = 144, .peers = 96, .full = 480},
    {.generator = "tile_borders", .seed = 88, .quick = 10, .ci = 48, .peers = 32, .full = 160},
};

}  // namespace

Check k_and_n_tails() {
  return {.name = "k_and_n_tails",
          .summary = "K and N that are not multiples of a tile give the same answers.",
          .guards_against =
              "K tail dropped or read past, columns beyond the last full tile (kinds G, H)",
          .advice =
              "K or N that is not a multiple of the tile is wrong. Look at the last K step and the "
              "last "
              "column tile: bytes of the copy, predicate of the load, predicate of the store.",
          .order = 260,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
