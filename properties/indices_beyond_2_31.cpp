// Elements whose flat index does not fit 32 bits are read and written where they belong.
#include <algorithm>
#include <vector>

#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  // Pitches, not data, carry the index past 2^31: a few resident pages in a sparse mapping.
  constexpr Index kPitch = Index{1} << 28;
  spec.k = std::max<Index>(manifest.k_multiple, 8);
  spec.n = std::max<Index>(manifest.n_multiple, 8);
  spec.base = {};
  spec.tail = 0;
  spec.ld = {};
  spec.wpitch = 0;
  spec.pad = 1;
  if (spec.offsets.convention == Convention::kMasked) spec.cap = 5;
  if (spec.seed % 3 == 0) spec.ld.x = kPitch;
  if (spec.seed % 3 == 1) spec.ld.y = kPitch;
  if (spec.seed % 3 == 2) spec.wpitch = kPitch;
  spec.rows = spec.seed % 3 == 2 ? std::vector<Index>{1, 0, 2, 0, 0, 1, 0, 1, 2, 1}
                                 : std::vector<Index>{4, 1, 0, 5};
}

}  // namespace

Check indices_beyond_2_31() {
  return {.name = "indices_beyond_2_31",
          .sentence =
              "Elements whose flat index does not fit 32 bits are read and written where they "
              "belong.",
          .field_bug =
              "int32 products of row and stride: rows*K, rows*N and E*K*N beyond 2^31 (kind "
              "J)",
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
