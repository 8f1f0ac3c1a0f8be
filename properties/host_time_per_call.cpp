// Reports the time that a call costs the host before the GPU has finished; a hidden synchronisation
// shows.
#include "properties/support/case_run.h"

namespace assay {

Check host_time_per_call() {
  return {.name = "host_time_per_call",
          .sentence = "Reports the time that a call costs the host before the GPU has finished.",
          .field_bug = "counts read back to the host in every layer (kinds Q, Y); a measurement",
          .not_applicable = needs_a_gpu,
          .prepare = nullptr,
          .run = not_run_without_a_device};
}

}  // namespace assay
