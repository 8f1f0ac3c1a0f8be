// A hundred calls leave no threads, descriptors, processes, memory or files behind.
#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "properties/support/case_run.h"
#include "src/core/text.h"

namespace assay {
namespace {

// What grows in each of the blocks may still come to an end: a collector frees now and then, and a
// pool touches its pages one by one (Python's, for 2,000 calls). Further blocks of more calls
// decide: what is lost goes on growing there, and keeps its pace.
constexpr int kBlocks = 5, kCallsOfBlock = 20;
constexpr int kFurtherBlocks = 4, kMostFurtherCalls = 4000;
constexpr double kSecondsOfBlock = 1, kSecondsOfFurtherBlock = 5;
constexpr double kKeptPace = 0.5;

constexpr std::int64_t kPage = 4096, kMuchMemory = std::int64_t{512} << 20;

struct Kind {
  std::string_view name;
  std::int64_t Holdings::*count;
  std::int64_t least = 0;  // that a call has to leave to be noticed
  std::int64_t much = 0;   // as much as a trial may lose
};
// What comes first explains what comes after it: a thread has a stack. What the heap does not see
// comes by the page.
constexpr Kind kKinds[] = {
    {"processes that it never waited for", &Holdings::ended, 0, 256},
    {"threads", &Holdings::threads, 0, 256},
    {"descriptors", &Holdings::descriptors, 0, 256},
    {"bytes of the heap", &Holdings::heap_bytes, 0, kMuchMemory},
    {"bytes of mapped memory", &Holdings::mapped_bytes, kPage, kMuchMemory},
    {"bytes of resident memory", &Holdings::resident_bytes, kPage, kMuchMemory}};

// Makes calls in blocks, and keeps what the process holds after each.
class Series {
 public:
  Series(Session& kernel, const Problem& problem, double seconds_of_call, Verdict& verdict)
      : kernel_(kernel), problem_(problem), seconds_(seconds_of_call), verdict_(verdict) {}

  // As many calls as their time allows, and one at least. False: a call failed, or nothing is
  // counted here.
  bool add_blocks(int blocks, int calls, double most_seconds) {
    if (seconds_ * calls > most_seconds) {
      calls = std::max(1, static_cast<int>(most_seconds / seconds_));
    }
    for (int block = 0; block < blocks; ++block) {
      if (!add(calls)) { return false; }
    }
    return true;
  }
  std::size_t last() const { return held_.size() - 1; }
  const Holdings& held() const { return held_.back(); }

  // In each block from sample `from` on, and by enough a call.
  bool grows(const Kind& kind, std::size_t from) const {
    for (std::size_t i = from; i < last(); ++i) {
      if (!(held_[i].*kind.count < held_[i + 1].*kind.count)) { return false; }
    }
    return pace(kind, from, last()) >= static_cast<double>(kind.least);
  }
  // Growth a call between two samples.
  double pace(const Kind& kind, std::size_t from, std::size_t to) const {
    return static_cast<double>(held_[to].*kind.count - held_[from].*kind.count) /
           static_cast<double>(calls_[to] - calls_[from]);
  }
  bool leaves_files(std::size_t from) const {
    return std::all_of(held_.begin() + static_cast<std::ptrdiff_t>(from) + 1, held_.end(),
                       [](const Holdings& held) { return held.files > 0; });
  }
  std::string describe(const Kind& kind, std::size_t from) const {
    const double rate = pace(kind, from, last());
    return fmt::format(
        "calls leave {} behind: {} a call ({} before {} calls, {} after them)", kind.name,
        rate < 10 ? fmt::format("{:.2g}", rate) : fmt::format("{:.0f}", rate),
        held_[from].*kind.count, calls_.back() - calls_[from], held_.back().*kind.count);
  }

 private:
  bool add(int calls) {
    const Outcome outcome = kernel_.run(problem_, {.repeats = calls, .count_holdings = true});
    if (!accept_status(verdict_, problem_, kernel_.manifest(), outcome)) { return false; }
    if (!outcome.holdings) {
      verdict_.kind = VerdictKind::kNotRun;
      verdict_.reason = "what calls leave behind is counted in a worker process only";
      return false;
    }
    calls_.push_back((calls_.empty() ? 0 : calls_.back()) + calls);
    held_.push_back(*outcome.holdings);
    return true;
  }

  Session& kernel_;
  const Problem& problem_;
  double seconds_;
  Verdict& verdict_;
  std::vector<Holdings> held_;
  std::vector<int> calls_;  // made before each sample
};

// How many calls each further block makes, so that the trial itself does no harm; 0: nothing grows.
int calls_of_further_block(const Series& series) {
  double calls = 0;
  const auto limit = [&](double most) {
    calls = calls > 0 ? std::min(calls, most) : std::min<double>(kMostFurtherCalls, most);
  };
  for (const Kind& kind : kKinds) {
    if (!series.grows(kind, 0)) { continue; }
    limit(static_cast<double>(kind.much) / series.pace(kind, 0, series.last()));
  }
  constexpr double kManyFiles = 256;
  if (series.leaves_files(0)) { limit(kManyFiles); }
  return calls > 0 ? std::max(1, static_cast<int>(calls / kFurtherBlocks)) : 0;
}

void prepare(CaseSpec& spec, const Manifest& manifest) {
  spec.acc = 0;  // repeats are wanted
  use_plain_execution(spec, manifest);
}

void judge_processes(Verdict& verdict, const Holdings& held) {
  if (held.processes == 0) { return; }
  const std::string name =
      held.process[0] == '\0' ? "" : ": " + quote(std::string_view(held.process));
  fail(verdict, Aspect::kLeftover,
       held.processes == 1 ? "a process outlives the call that started it" + name
                           : fmt::format("{} processes outlive the calls that started them{}",
                                         held.processes, name));
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Problem problem = problem_for(spec, kernel.manifest());
  CaseRun plain = run_and_judge(kernel, problem);
  Verdict& verdict = plain.verdict;
  if (!nothing_wrong(verdict)) { return verdict; }
  Series series(kernel, problem, plain.high.host_seconds, verdict);
  // What the first block leaves is what all others are held against.
  if (!series.add_blocks(1 + kBlocks, kCallsOfBlock, kSecondsOfBlock)) { return verdict; }
  judge_processes(verdict, series.held());
  const int calls = calls_of_further_block(series);
  if (!nothing_wrong(verdict) || calls == 0) { return verdict; }
  const std::size_t further = series.last();
  if (!series.add_blocks(kFurtherBlocks, calls, kSecondsOfFurtherBlock)) { return verdict; }
  for (const Kind& kind : kKinds) {
    if (!series.grows(kind, 0)) { continue; }
    const double kept = kKeptPace * series.pace(kind, 0, further);
    if (!(series.pace(kind, further, series.last()) < kept)) {
      fail(verdict, Aspect::kLeftover, series.describe(kind, 0));
    }
  }
  if (series.leaves_files(0)) {
    fail(verdict, Aspect::kLeftover,
         fmt::format("calls leave files behind: {}", quote(series.held().file)));
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 126, .quick = 3, .ci = 9, .peers = 5, .full = 24},
};

}  // namespace

Check calls_leave_nothing_behind() {
  return {.name = "calls_leave_nothing_behind",
          .summary =
              "A hundred calls leave no threads, descriptors, processes, memory or files behind.",
          .guards_against =
              "a plan, a workspace or an event made in each call and never freed, so that a "
              "training run ends out of memory (kind R)",
          .advice =
              "Something is made in each call and never freed, or a process that a call starts "
              "lives on. Make it once and keep it, or free it before the call returns; a cache has "
              "to have an end.",
          .order = 390,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = run};
}

}  // namespace assay
