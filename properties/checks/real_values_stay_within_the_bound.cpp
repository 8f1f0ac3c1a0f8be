// Real values stay within the proved bound of the declared arithmetic, element by element.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) { use_real_fill(spec); }

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 19, .quick = 60, .ci = 288, .peers = 192, .full = 960},
    {.generator = "tile_borders", .seed = 20, .quick = 12, .ci = 57, .peers = 38, .full = 192},
    {.generator = "long_reduction", .seed = 21, .quick = 20, .ci = 96, .peers = 64, .full = 320},
    {.generator = "many_tiles", .seed = 22, .quick = 4, .ci = 36, .peers = 38, .full = 192},
    {.generator = "skewed", .seed = 23, .quick = 12, .ci = 57, .peers = 38, .full = 192},
    {.generator = "recorded", .seed = 24, .quick = 4, .ci = 19, .peers = 13, .full = 64},
    {.generator = "many_experts", .seed = 118, .ci = 48, .peers = 29, .full = 144},
    {.generator = "integer_sums", .seed = 171, .quick = 4, .ci = 18, .peers = 12, .full = 72},
    {.generator = "scaled", .seed = 142, .quick = 18, .ci = 72, .peers = 36, .full = 288},
};

}  // namespace

Check real_values_stay_within_the_bound() {
  return {
      .name = "real_values_stay_within_the_bound",
      .summary =
          "Real values stay within the proved bound of the declared arithmetic, element "
          "by element.",
      .guards_against =
          "wrong rounding, lost precision, scale errors below a percent (kinds M, X, Z)",
      .advice =
          "The error is larger than the declared arithmetic can make. Either the manifest declares "
          "a better arithmetic than the kernel has (probe it), or terms are lost on some inputs "
          "only.",
      .order = 30,
      .draws = kDraws,
      .not_applicable = always_applies,
      .prepare = prepare,
      .run = judge_case_whole};
}

}  // namespace assay
