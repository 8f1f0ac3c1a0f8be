// All work is ordered on the stream that was passed.
#include "properties/support/case_run.h"

namespace assay {

Check the_given_stream_is_honoured() {
  return {
      .name = "the_given_stream_is_honoured",
      .sentence = "All work is ordered on the stream that was passed.",
      .field_bug = "default-stream launches that read operands before their producer ran (kind R)",
      .not_applicable = needs_a_gpu,
      .prepare = nullptr,
      .run = not_run_without_a_device};
}

}  // namespace assay
