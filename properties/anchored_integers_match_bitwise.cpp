// Integers between anchors of +2^A and -2^A give the exact result: no partial sum is narrower
// than declared.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) { spec.fill = Fill::kAnchored; }

}  // namespace

Check anchored_integers_match_bitwise() {
  return {.name = "anchored_integers_match_bitwise",
          .sentence =
              "Integers between anchors of +2^A and -2^A give the exact result: no partial "
              "sum is narrower than declared.",
          .field_bug =
              "16-bit partial sums and narrow accumulators, which small integers cannot see "
              "(kind X)",
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
