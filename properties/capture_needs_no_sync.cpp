// The call can be captured: no host read of offsets, no synchronisation.
#include "properties/support/case_run.h"

namespace assay {

Check capture_needs_no_sync() {
  return {.name = "capture_needs_no_sync",
          .sentence = "The call can be captured: no host read of offsets, no synchronisation.",
          .field_bug = "hidden .item() on counts (kind Q)",
          .not_applicable = needs_a_gpu,
          .prepare = nullptr,
          .run = not_run_without_a_device};
}

}  // namespace assay
