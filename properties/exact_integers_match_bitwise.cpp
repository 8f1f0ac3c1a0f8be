// Integer inputs, exact in every order of summation, give the exact result rounded once.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) { spec.fill = Fill::kIntegers; }

}  // namespace

Check exact_integers_match_bitwise() {
  return {.name = "exact_integers_match_bitwise",
          .sentence =
              "Integer inputs, exact in every order of summation, give the exact result "
              "rounded once.",
          .field_bug =
              "dropped or repeated K tiles, wrong expert, wrong row, coverage (kinds G, H, I, "
              "M)",
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
