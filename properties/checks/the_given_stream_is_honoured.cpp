// All work is ordered on the stream that was passed.
#include "properties/support/case_run.h"

namespace assay {
namespace {

Verdict run(Session& kernel, const CaseSpec& spec) {
  // The operands' producer runs in the stream, late: work that does not wait for it reads NaN and
  // offsets of -1, and what it wrote is overwritten.
  return judge_called_otherwise(kernel, spec, {.launch = Launch::kLateOperands},
                                "the call behind a producer");
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 98, .quick = 4, .ci = 19, .peers = 13, .full = 64},
};

}  // namespace

Check the_given_stream_is_honoured() {
  return {
      .name = "the_given_stream_is_honoured",
      .summary = "All work is ordered on the stream that was passed.",
      .guards_against =
          "default-stream launches that read operands before their producer ran (kind R)",
      .advice =
          "Work ran in another stream than the given one, before its inputs were ready or after "
          "its outputs were read. Pass the stream to every launch and copy.",
      .order = 330,
      .draws = kDraws,
      .not_applicable = needs_streams,
      .prepare = use_plain_execution,
      .run = run};
}

}  // namespace assay
