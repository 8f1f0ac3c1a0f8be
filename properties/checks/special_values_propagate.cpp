// NaN, infinities, -0, subnormals and the largest finite value go where exact extended arithmetic
// sends them, and nowhere else.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) {
  spec.fill = spec.seed % 3 == 0 ? Fill::kExtreme : Fill::kSpecial;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 30, .quick = 50, .ci = 240, .peers = 160, .full = 800},
    {.generator = "tile_borders", .seed = 31, .quick = 8, .ci = 38, .peers = 26, .full = 128},
    {.generator = "primes", .seed = 32, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "many_tiles", .seed = 33, .quick = 2, .ci = 18, .peers = 19, .full = 96},
    {.generator = "scaled", .seed = 144, .quick = 9, .ci = 54, .peers = 27, .full = 216},
};

}  // namespace

Check special_values_propagate() {
  return {.name = "special_values_propagate",
          .summary =
              "NaN, infinities, -0, subnormals and the largest finite value go where exact "
              "extended arithmetic sends them, and nowhere else.",
          .guards_against =
              "flushed subnormals, NaN lost in a comparison, overflow turned finite (kinds E, "
              "X)",
          .advice =
              "NaN, infinity, minus zero or subnormals came out differently. Look for masks that "
              "multiply by zero, for flushing of subnormals, for a saturating store that the "
              "manifest does not declare.",
          .order = 50,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
