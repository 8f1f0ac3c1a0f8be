// More rows than a signed 16-bit number counts, in one expert and in total.
#include <algorithm>
#include <vector>

#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  spec.rows = spec.seed % 2 == 0 ? std::vector<Index>{3, 32769, 2} : std::vector<Index>(9, 3700);
  spec.k = std::max<Index>(manifest.k_multiple, 8);
  spec.n = std::max<Index>(manifest.n_multiple, 8);
  if (spec.cap > 0) { spec.cap = 32769; }
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 112, .quick = 3, .ci = 12, .peers = 10, .full = 48},
};

}  // namespace

Check rows_beyond_32768() {
  return {.name = "rows_beyond_32768",
          .summary = "More rows than a signed 16-bit number counts, in one expert and in total.",
          .guards_against = "16-bit row indices and counts (kind J)",
          .advice = "A row number was kept in 16 bits, or a grid dimension beyond 65,535 was used.",
          .order = 430,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
