// How a kernel on a device runs: in the stream that it is given, without waiting for it, in a graph
// that is launched again with other operands.
#include <algorithm>

#include <fmt/format.h>

#include "src/probe/experiments.h"

namespace assay {
namespace {

constexpr double kMillisecond = 1e-3;
// Of the call behind a late producer: one that waits for it is made twice, and waits long.
constexpr double kWaitingSeconds = kLateSeconds[1] / 2;

std::string said(const Attempt& attempt) {
  return attempt.why.empty() ? std::string(name(attempt.answer))
                             : fmt::format("{}: {}", name(attempt.answer), attempt.why);
}

// Whether a attempt says something of the kernel: one that was not made, or had no end, does not.
bool tells(const Attempt& attempt) {
  const RunStatus status = attempt.low.status;
  return status == RunStatus::kOk || status == RunStatus::kError;
}

void probe_stream(Probing& probing, const Problem& problem, const Attempt& plain) {
  const Attempt late = probing.lab.try_run(problem, {.launch = Launch::kLateOperands});
  if (!tells(late)) { return probing.row("stream_ordered", "not measured", said(late)); }
  probing.report.probed.stream_ordered = late.right();
  probing.settle("stream_ordered");
  probing.row("stream_ordered", late.right() ? "true" : "false",
              late.right() ? "right behind a producer that is late" : said(late));
  if (late.low.status != RunStatus::kOk) { return; }
  const double usual = plain.low.host_seconds, behind = late.low.host_seconds;
  const bool waits = behind > usual + kWaitingSeconds;
  probing.row("host sync", waits ? "waits for the stream" : "none",
              fmt::format("returns after {:.2f} ms behind a late producer, {:.2f} ms without one",
                          behind / kMillisecond, usual / kMillisecond));
}

void probe_graph(Probing& probing, const Problem& problem) {
  const Attempt captured = probing.lab.try_run(problem, {.launch = Launch::kGraph});
  std::string evidence = "captured, and launched again with other offsets and data";
  if (!tells(captured)) { return probing.row("graph capture", "not measured", said(captured)); }
  bool right = captured.right();
  if (right) {
    CaseSpec other = probing.base;
    std::rotate(other.rows.begin(), other.rows.begin() + 1, other.rows.end());
    ++other.seed;
    const Attempt again =
        probing.lab.try_run(make_problem(other, problem_options()), {.launch = Launch::kReplay});
    if (!tells(again)) { return probing.row("graph capture", "not measured", said(again)); }
    right = again.right();
    if (!right) { evidence = "launched again with other offsets and data: " + said(again); }
  } else {
    evidence = said(captured);
  }
  // A graph is captured in the call's stream.
  probing.report.probed.graph_capturable = right && probing.report.probed.stream_ordered;
  probing.settle("graph_capturable");
  probing.row("graph capture", right ? "right" : "no", evidence);
}

}  // namespace

void probe_execution(Probing& probing) {
  if (probing.lab.own().device == "cpu") {
    for (const char* const topic : {"graph capture", "host sync"}) {
      probing.row(topic, "not measured", "the kernel runs on the CPU");
    }
    return;
  }
  const Problem problem = make_problem(probing.base, problem_options());
  // What is loaded once is loaded now.
  Attempt plain = probing.lab.try_run(problem, {});
  if (plain.right()) { plain = probing.lab.try_run(problem, {}); }
  if (!plain.right() || probing.lab.gives_up()) { return; }
  probe_stream(probing, problem, plain);
  if (!probing.lab.gives_up()) { probe_graph(probing, problem); }
}

}  // namespace assay
