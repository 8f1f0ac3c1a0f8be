// The call can be captured: no host read of offsets, no synchronisation.
#include "properties/support/case_run.h"

namespace assay {
namespace {

Verdict run(Session& kernel, const CaseSpec& spec) {
  // After a plain call: what is loaded once is loaded then.
  return judge_called_otherwise(kernel, spec, {.launch = Launch::kGraph}, "the captured call");
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 97, .quick = 4, .ci = 19, .peers = 13, .full = 64},
};

}  // namespace

Check capture_needs_no_sync() {
  return {.name = "capture_needs_no_sync",
          .summary = "The call can be captured: no host read of offsets, no synchronisation.",
          .guards_against = "hidden .item() on counts (kind Q)",
          .advice =
              "The call cannot be captured: it synchronises, allocates, or copies from the device "
              "to the host. Move that out of the call.",
          .order = 320,
          .draws = kDraws,
          .not_applicable = needs_graphs,
          .prepare = use_plain_execution,
          .run = run};
}

}  // namespace assay
