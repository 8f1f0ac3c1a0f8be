// The operands' device is used also when another one is current.
#include "properties/support/case_run.h"

namespace assay {

Check the_operands_device_is_used() {
  return {.name = "the_operands_device_is_used",
          .sentence = "The operands' device is used also when another one is current.",
          .field_bug = "launches on the current device (kind R)",
          .not_applicable = needs_a_gpu,
          .prepare = nullptr,
          .run = not_run_without_a_device};
}

}  // namespace assay
