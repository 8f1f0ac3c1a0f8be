// A captured graph replayed with other offsets and data gives their answers.
#include "properties/support/case_run.h"

namespace assay {

Check graph_replay_follows_new_offsets() {
  return {.name = "graph_replay_follows_new_offsets",
          .sentence = "A captured graph replayed with other offsets and data gives their answers.",
          .field_bug = "semaphores and descriptors that are stale on replay (kind Q)",
          .not_applicable = needs_a_gpu,
          .prepare = nullptr,
          .run = not_run_without_a_device};
}

}  // namespace assay
