// Whether a call on a GPU can be captured in a graph, and what its replays do.
#include "src/certify/probe/experiments.h"

namespace assay {
namespace {

struct Question {
  const char* topic;
  const char* check;
  const char* yes;
  const char* no;
};

constexpr Question kQuestions[] = {
    {"host sync", "capture_needs_no_sync", "none", "a call cannot be captured"},
    {"graph_capturable", "graph_replay_follows_new_offsets", "true", "false"},
};

}  // namespace

void probe_execution(Probing& probing) {
  if (probing.lab.own().device == "cpu") {
    for (const Question& question : kQuestions) {
      probing.row(question.topic, "not measured", "the kernel runs on the CPU");
    }
    return;
  }
  bool capturable = true;
  for (const Question& question : kQuestions) {
    const Verdict verdict = probing.lab.check(question.check, probing.base, probing.report.probed);
    const bool passed = verdict.kind == VerdictKind::kPassed;
    capturable = capturable && passed;
    probing.row(question.topic, passed ? question.yes : question.no, verdict.reason);
  }
  probing.report.probed.graph_capturable = capturable;
  probing.settle("graph_capturable");
  if (!capturable) return;
  probing.report.probed.stream_ordered = true;  // else nothing would have been captured
  probing.settle("stream_ordered");
}

}  // namespace assay
