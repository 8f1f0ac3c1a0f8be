// Integer inputs, exact in every order of summation, give the exact result rounded once.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) { spec.fill = Fill::kIntegers; }

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 1, .quick = 60, .ci = 288, .peers = 192, .full = 960},
    {.generator = "tile_borders", .seed = 2, .quick = 20, .ci = 96, .peers = 64, .full = 320},
    {.generator = "skewed", .seed = 3, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "empties", .seed = 4, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "primes", .seed = 5, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "conventions", .seed = 6, .quick = 30, .ci = 144, .peers = 96, .full = 480},
    {.generator = "strides", .seed = 7, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "recorded", .seed = 8, .quick = 6, .ci = 28, .peers = 19, .full = 96},
    {.generator = "many_tiles", .seed = 9, .quick = 4, .ci = 36, .peers = 38, .full = 192},
    {.generator = "long_reduction", .seed = 10, .quick = 8, .ci = 38, .peers = 26, .full = 128},
    {.generator = "single_rows", .seed = 11, .quick = 10, .ci = 48, .peers = 32, .full = 160},
    {.generator = "many_experts", .seed = 12, .quick = 5, .ci = 104, .peers = 58, .full = 288},
    {.generator = "row_counts", .seed = 132, .quick = 32, .ci = 96, .peers = 32, .full = 288},
    {.generator = "row_powers", .seed = 133, .quick = 6, .ci = 60, .peers = 20, .full = 180},
    {.generator = "wide", .seed = 134, .quick = 16, .ci = 32, .peers = 16, .full = 192},
    {.generator = "model_widths", .seed = 138, .quick = 25, .ci = 150, .peers = 50, .full = 300},
    {.generator = "model_shapes", .seed = 135, .quick = 9, .ci = 28, .peers = 38, .full = 228},
    {.generator = "scaled", .seed = 140, .quick = 18, .ci = 72, .peers = 36, .full = 288},
};

}  // namespace

Check exact_integers_match_bitwise() {
  return {
      .name = "exact_integers_match_bitwise",
      .summary =
          "Integer inputs, exact in every order of summation, give the exact result "
          "rounded once.",
      .guards_against =
          "dropped or repeated K tiles, wrong expert, wrong row, coverage (kinds G, H, I, "
          "M)",
      .advice =
          "Rounding is no excuse here: a term is missing, doubled or from elsewhere. Read the "
          "shrunk case and the tile map: wrong rows from an expert's border on point to offsets, "
          "wrong columns to the N tail, a constant factor of K to a lost or repeated K tile.",
      .order = 10,
      .draws = kDraws,
      .not_applicable = always_applies,
      .prepare = prepare,
      .run = judge_case_whole};
}

}  // namespace assay
