// No element that has to be written still holds its poison, of which there are two.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) {
  spec.acc = 0;
  if (has_special_values(spec.fill)) { spec.fill = Fill::kNormal; }
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 34, .quick = 30, .ci = 144, .peers = 96, .full = 480},
    {.generator = "empties", .seed = 35, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "many_tiles", .seed = 36, .quick = 4, .ci = 36, .peers = 38, .full = 192},
    {.generator = "tile_borders", .seed = 37, .quick = 12, .ci = 57, .peers = 38, .full = 192},
    {.generator = "conventions", .seed = 38, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "many_experts", .seed = 120, .ci = 36, .peers = 22, .full = 108},
    {.generator = "many_experts", .seed = 175, .ci = 12, .peers = 2, .full = 12},
    {.generator = "scaled", .seed = 145, .quick = 9, .ci = 36, .peers = 18, .full = 144},
};

}  // namespace

Check every_owned_element_is_written() {
  return {.name = "every_owned_element_is_written",
          .summary =
              "No element that has to be written still holds its poison, of which there are two.",
          .guards_against =
              "groups, columns or tiles never computed, hidden by what memory held before "
              "(kinds A, D, I)",
          .advice =
              "The element kept the poison that was there before. A tile is never visited, or an "
              "early exit skips the store: empty experts, last tile, zero K.",
          .order = 60,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
