// What most checks are made of: run a case in both placements with both poisons, look at the
// memory, and have every owned element judged.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "properties/check.h"
#include "src/harness/call/outcome.h"
#include "src/harness/judge/judge_case.h"
#include "src/problem/problem.h"

namespace assay {

struct CaseRun {
  Verdict verdict;
  Outcome low, high;  // placement low with poison 0, placement high with poison 1
};

// The problem of a case under the accumulator that the manifest declares
// (ProblemOptions::exact_bits).
Problem problem_for(const CaseSpec& spec, const Manifest& manifest);

// Runs both placements. Passed only when both runs returned OK, no byte changed that must not,
// every owned element was written and all of them are right, empty experts' gradients bit for bit.
// Failed, the verdict holds every aspect that is wrong.
// `judged`: a run of the same values. Where it is right, the same bits are not judged again.
CaseRun run_and_judge(Session& kernel, const Problem& problem, const CaseRun* judged = nullptr);
Verdict judge_case_whole(Session& kernel, const CaseSpec& spec);

// Then once more as the plan says: accepted in every respect, and with the same bits where the
// manifest lets one compare. `what` names that call, as "the captured call".
Verdict judge_called_otherwise(Session& kernel, const CaseSpec& spec, const RunOptions& otherwise,
                               const std::string& what);

// Passed so far, or Inconclusive: a rule that trusts no value of a case still lets its memory, its
// bits and its further calls be judged.
bool nothing_wrong(const Verdict& verdict);

// The same for one run that a check has made itself; adds to verdict.runs and lowers verdict.kind
// where due; `judged` as above. Returns false when there is nothing left to compare.
bool accept_outcome(Verdict& verdict, const Problem& problem, const Manifest& manifest,
                    const Outcome& outcome, const CaseRun* judged = nullptr);
// The check that judges a case of this fill by itself and in every respect (judge_case_whole).
const Check& plain_check(const CaseSpec& spec);
// False: the run crashed, hung or was not made.
bool has_ended(RunStatus status);
// Says so of such a run.
void judge_unended(Verdict& verdict, const Outcome& outcome);
// Only the status, the status word, the memory of a run and what it left changed around it, its
// numbers not judged.
bool accept_status(Verdict& verdict, const Problem& problem, const Manifest& manifest,
                   const Outcome& outcome);
// For exact cases too large for that: every row by its fingerprint
// (oracle/fingerprint/fingerprint.h). Of the session's last run, which had
// RunOptions::operands_stay.
void judge_by_fingerprint(Verdict& verdict, Session& kernel, const Problem& problem,
                          const Outcome& outcome);
void judge_numbers(Verdict& verdict, const Problem& problem, const Manifest& manifest,
                   const std::vector<std::byte>& output);

// Fails the verdict unless two dense outputs hold the same bits. `what` names the pair, as "the
// second run"; `aspect` is kNotRepeatable of one case, kRelation of two.
bool require_same_bits(Verdict& verdict, const Problem& problem,
                       const std::vector<std::byte>& first, const std::vector<std::byte>& second,
                       const std::string& what, Aspect aspect = Aspect::kNotRepeatable);

// Adds what is wrong; the first makes the verdict Failed and is its reason.
void fail(Verdict& verdict, Aspect aspect, const std::string& reason);
Aspect aspect_of(const MemoryFault& fault);
// For a check that judges several runs: puts `prefix` before every reason.
void say_where(Verdict& verdict, const std::string& prefix);

// Whether the manifest allows two runs to be compared bit for bit: the same case twice, or rows
// under another routing. Exact fills always may.
bool same_case_repeats_bits(const Manifest& manifest, const CaseSpec& spec);
bool rows_repeat_bits(const Manifest& manifest, const CaseSpec& spec);

// The fastest of a few runs in seconds, each accepted as any other run; 0 where one is not.
double best_seconds(Session& kernel, const Problem& problem, Verdict& verdict);
// The last step of a measuring check on a case that was judged right: its figure, or why there is
// none.
void measure(Verdict& verdict, double value);
void measure_ratio(Verdict& verdict, double seconds, double over_seconds);
void leave_unmeasured(Verdict& verdict, const std::string& reason);

// Usual answers to Check::not_applicable.
std::optional<std::string> always_applies(const Manifest& manifest);
std::optional<std::string> needs_a_gpu(const Manifest& manifest);
std::optional<std::string> needs_streams(const Manifest& manifest);  // a GPU, and stream_ordered
std::optional<std::string> needs_graphs(const Manifest& manifest);   // and graph_capturable
std::optional<std::string> needs_wgrad(const Manifest& manifest);
std::optional<std::string> needs_accumulation(const Manifest& manifest);

// Usual parts of Check::prepare: a pass that the manifest has out of those wanted, else the case
// stays as it is.
void use_pass(CaseSpec& spec, const Manifest& manifest, const std::vector<Pass>& wanted);
// This pass, with formats that the manifest has for it.
void set_pass(CaseSpec& spec, const Manifest& manifest, Pass pass);
// The manifest's pass number `index`, counted round and round.
// Inputs without scales, where the kernel takes some.
void use_plain_formats(CaseSpec& spec, const Manifest& manifest);
void set_nth_pass(CaseSpec& spec, const Manifest& manifest, Index index);
// Empties one expert, or appends an empty one, where there is none.
void plant_empty_expert(CaseSpec& spec);
// exec=plain: the check itself chooses how calls are launched.
void use_plain_execution(CaseSpec& spec, const Manifest& manifest);
void use_real_fill(CaseSpec& spec);
void use_accumulation(CaseSpec& spec, const Manifest& manifest, int times);

}  // namespace assay
