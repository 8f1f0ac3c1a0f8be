// Integers between anchors of +2^A and -2^A give the exact result: no partial sum is narrower
// than declared.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) { spec.fill = Fill::kAnchored; }

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 13, .quick = 40, .ci = 192, .peers = 128, .full = 640},
    {.generator = "tile_borders", .seed = 14, .quick = 12, .ci = 57, .peers = 38, .full = 192},
    {.generator = "long_reduction", .seed = 15, .quick = 20, .ci = 96, .peers = 64, .full = 320},
    {.generator = "many_tiles", .seed = 16, .quick = 4, .ci = 36, .peers = 38, .full = 192},
    {.generator = "conventions", .seed = 17, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "recorded", .seed = 18, .quick = 3, .ci = 14, .peers = 10, .full = 48},
    {.generator = "many_experts", .seed = 117, .ci = 48, .peers = 29, .full = 144},
    {.generator = "scaled", .seed = 141, .quick = 18, .ci = 54, .peers = 27, .full = 216},
};

}  // namespace

Check anchored_integers_match_bitwise() {
  return {.name = "anchored_integers_match_bitwise",
          .summary =
              "Integers between anchors of +2^A and -2^A give the exact result: no partial "
              "sum is narrower than declared.",
          .guards_against =
              "16-bit partial sums and narrow accumulators, which small integers cannot see "
              "(kind X)",
          .advice =
              "If exact_integers_match_bitwise passes and this fails, the sum is kept in too few "
              "bits: look for 16-bit partial sums, for a split reduction that adds rounded "
              "partials, for an accumulator narrower than the manifest says.",
          .order = 20,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
