// Two accumulating calls add the product twice, no more and no less.
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) { use_accumulation(spec, manifest, 2); }

}  // namespace

Check accumulation_adds_twice() {
  return {.name = "accumulation_adds_twice",
          .sentence = "Two accumulating calls add the product twice, no more and no less.",
          .field_bug =
              "overwriting instead of adding, tiles computed twice, workspace not reset "
              "(kinds Q, T)",
          .not_applicable = needs_accumulation,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
