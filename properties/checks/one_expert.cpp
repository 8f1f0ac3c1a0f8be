// A single expert is an ordinary matrix product.
#include <algorithm>

#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) {
  Index rows = 0;
  for (const Index count : spec.rows) { rows += count; }
  spec.rows = {std::max<Index>(1, rows)};
  if (spec.cap > 0) { spec.cap = std::max(spec.cap, spec.rows.front()); }
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 91, .quick = 20, .ci = 96, .peers = 64, .full = 320},
    {.generator = "tile_borders", .seed = 92, .quick = 8, .ci = 38, .peers = 26, .full = 128},
};

}  // namespace

Check one_expert() {
  return {.name = "one_expert",
          .summary = "A single expert is an ordinary matrix product.",
          .guards_against = "shortcuts for E = 1 and off-by-one errors in prefix sums (kind U)",
          .advice =
              "The grouped call of one expert is a plain product and is wrong. Start here: it is "
              "the smallest case there is.",
          .order = 280,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
