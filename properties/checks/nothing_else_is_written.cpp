// Guards, stride gaps, padding rows, tail rows and inputs keep every byte.
#include "properties/generators/fit.h"
#include "properties/support/case_run.h"
#include "src/problem/convention.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  if (spec.tail == 0 && !traits(spec.offsets.convention).has_buffers) {
    spec.tail = 1 + static_cast<Index>(spec.seed % 70);
  }
  if (spec.ld == PerOperand<Index>{}) {
    const Index gap =
        fit_gap(manifest.ld_multiple * static_cast<Index>(1 + spec.seed % 3), manifest);
    spec.ld = {gap, gap, gap};
  }
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 39, .quick = 40, .ci = 192, .peers = 128, .full = 640},
    {.generator = "conventions", .seed = 40, .quick = 30, .ci = 144, .peers = 96, .full = 480},
    {.generator = "strides", .seed = 41, .quick = 25, .ci = 120, .peers = 80, .full = 400},
    {.generator = "tile_borders", .seed = 42, .quick = 10, .ci = 48, .peers = 32, .full = 160},
    {.generator = "many_tiles", .seed = 43, .quick = 2, .ci = 18, .peers = 19, .full = 96},
    {.generator = "many_experts", .seed = 121, .ci = 36, .peers = 22, .full = 108},
    {.generator = "many_experts", .seed = 174, .ci = 12, .peers = 2, .full = 12},
    {.generator = "scaled", .seed = 146, .quick = 9, .ci = 36, .peers = 18, .full = 144},
};

}  // namespace

Check nothing_else_is_written() {
  return {.name = "nothing_else_is_written",
          .summary = "Guards, stride gaps, padding rows, tail rows and inputs keep every byte.",
          .guards_against =
              "stores past a ragged edge, oversized fills, inputs used as scratch (kinds D, "
              "J, K)",
          .advice =
              "A store went past what the contract owns: into tail rows, gaps between rows, the "
              "guard pages or an input. Check the predicate of the epilogue on the last row and "
              "column of an expert.",
          .order = 70,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
