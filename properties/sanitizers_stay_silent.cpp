// compute-sanitizer reports neither invalid accesses nor races.
#include "properties/support/case_run.h"

namespace assay {

Check sanitizers_stay_silent() {
  return {
      .name = "sanitizers_stay_silent",
      .sentence = "compute-sanitizer reports neither invalid accesses nor races.",
      .field_bug = "out-of-bounds accesses and hazards without a visible symptom (kinds K, N, O)",
      .not_applicable = needs_a_gpu,
      .prepare = nullptr,
      .run = not_run_without_a_device};
}

}  // namespace assay
