// No value outside an expert's own rows and columns influences an owned element, and no access
// leaves an operand's extent.
#include "properties/support/case_run.h"
#include "src/problem/convention.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) {
  if (spec.seed % 2 == 0 && !traits(spec.offsets.convention).has_buffers) { spec.tail = 0; }
  if (has_special_values(spec.fill)) { spec.fill = Fill::kIntegers; }
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 44, .quick = 40, .ci = 192, .peers = 128, .full = 640},
    {.generator = "conventions", .seed = 45, .quick = 30, .ci = 144, .peers = 96, .full = 480},
    {.generator = "strides", .seed = 46, .quick = 25, .ci = 120, .peers = 80, .full = 400},
    {.generator = "primes", .seed = 47, .quick = 20, .ci = 96, .peers = 64, .full = 320},
    {.generator = "tile_borders", .seed = 48, .quick = 10, .ci = 48, .peers = 32, .full = 160},
    {.generator = "many_tiles", .seed = 49, .quick = 2, .ci = 18, .peers = 19, .full = 96},
    {.generator = "scaled", .seed = 147, .quick = 18, .ci = 72, .peers = 36, .full = 288},
};

}  // namespace

Check nothing_outside_is_read() {
  return {.name = "nothing_outside_is_read",
          .summary =
              "No value outside an expert's own rows and columns influences an owned element, "
              "and no access leaves an operand's extent.",
          .guards_against =
              "NaN of padding or tail rows bleeding into dW, reads past the last row hidden "
              "by the allocator (kinds E, G, K)",
          .advice =
              "A value outside an expert's own rows and columns reached the result, or a page "
              "outside an operand was touched. Masked loads must not load, and masked products "
              "must not be added: NaN times zero is NaN.",
          .order = 80,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
