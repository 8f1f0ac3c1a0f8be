// Two accumulating calls add the product twice, no more and no less.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) { use_accumulation(spec, manifest, 2); }

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 59, .quick = 25, .ci = 120, .peers = 80, .full = 400},
    {.generator = "tile_borders", .seed = 60, .quick = 8, .ci = 38, .peers = 26, .full = 128},
    {.generator = "many_tiles", .seed = 61, .quick = 1, .ci = 12, .peers = 13, .full = 64},
    {.generator = "scaled", .seed = 159, .quick = 3, .ci = 18, .peers = 9, .full = 72},
};

}  // namespace

Check accumulation_adds_twice() {
  return {.name = "accumulation_adds_twice",
          .summary = "Two accumulating calls add the product twice, no more and no less.",
          .guards_against =
              "overwriting instead of adding, tiles computed twice, workspace not reset "
              "(kinds Q, T)",
          .advice =
              "C is not added exactly once: it was overwritten, added in every split, or rounded "
              "between two accumulations.",
          .order = 130,
          .draws = kDraws,
          .not_applicable = needs_accumulation,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
