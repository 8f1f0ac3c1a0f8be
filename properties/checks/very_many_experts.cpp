// More experts than a warp, a block or a scan of one tile can hold.
#include <algorithm>

#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  constexpr Index kCounts[] = {255, 256, 257, 1023, 1024, 1025};
  Index experts = kCounts[spec.seed % std::size(kCounts)];
  if (manifest.max_experts > 0) { experts = std::min(experts, manifest.max_experts); }
  std::vector<Index> rows(experts, 0);
  for (Index expert = 0; expert < experts; ++expert) {
    rows[expert] = spec.rows[expert % spec.experts()] % 3;
  }
  spec.rows = rows;
  spec.k = std::min<Index>(spec.k, 16 * manifest.k_multiple);
  spec.n = std::min<Index>(spec.n, 16 * manifest.n_multiple);
  if (spec.cap > 0) { spec.cap = 2; }
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 93, .quick = 12, .ci = 24, .peers = 38, .full = 192},
};

}  // namespace

Check very_many_experts() {
  return {
      .name = "very_many_experts",
      .summary = "More experts than a warp, a block or a scan of one tile can hold.",
      .guards_against =
          "expert-count limits of one-warp scans and 8- or 16-bit expert ids (kind U)",
      .advice =
          "Something has room for fewer experts than this: a table in shared memory, an 8-bit or "
          "10-bit index, a scan within one warp. Raise it, or declare max_experts and refuse.",
      .order = 290,
      .draws = kDraws,
      .not_applicable = always_applies,
      .prepare = prepare,
      .run = judge_case_whole};
}

}  // namespace assay
