// The call can be captured: no host read of offsets, no synchronisation.
#include "properties/support/case_run.h"

namespace assay {
namespace {

Verdict run(Session& kernel, const CaseSpec& spec) {
  // After a plain call: what is loaded once is loaded then.
  return judge_called_otherwise(kernel, spec, {.launch = Launch::kGraph}, "the captured call");
}

}  // namespace

Check capture_needs_no_sync() {
  return {.name = "capture_needs_no_sync",
          .sentence = "The call can be captured: no host read of offsets, no synchronisation.",
          .field_bug = "hidden .item() on counts (kind Q)",
          .not_applicable = needs_graphs,
          .prepare = use_plain_execution,
          .run = run};
}

}  // namespace assay
