// Every case that the user gives is right in every respect.
#include "properties/support/case_run.h"

namespace assay {

// It has no draws and changes no case: what is given is judged as it stands.
Check own_cases_are_right() {
  return {
      .name = "own_cases_are_right",
      .summary = "Every case of `certify --cases FILE` and of a profile's lines `case=` is right.",
      .guards_against = "a mistake at shapes and routings that one's own models have",
      .advice =
          "The kernel is wrong where it will be used. The other checks' findings say whether it is "
          "wrong elsewhere too; where this one is alone, look at what only these shapes reach: a "
          "tuned tactic, a tile of their size, an expert count.",
      .order = 5,
      .not_applicable = always_applies,
      .prepare = nullptr,
      .run = judge_case_whole};
}

}  // namespace assay
