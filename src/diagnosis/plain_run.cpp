#include "src/diagnosis/plain_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "properties/support/case_run.h"
#include "src/diagnosis/evidence.h"
#include "src/diagnosis/probing/operand_map.h"
#include "src/harness/memory/case_memory.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

bool wrong_after(Session& kernel, const CaseSpec& before, const CaseSpec& spec) {
  kernel.run(problem_for(before, kernel.manifest()), {});
  return gather_evidence(kernel, spec).has_value();
}

// Whether the run wrote what is not its own, beside elements that are right.
bool diagnose_what_it_wrote(const Outcome& outcome, Diagnosis& diagnosis) {
  if (!outcome.faults.empty()) {
    diagnosis.hypothesis = "stray_write";
    diagnosis.sentence =
        fmt::format("all its outputs are right, but it also writes memory that it does not own: {}",
                    describe(outcome.faults.front()));
  } else if (outcome.status_word != 0) {
    diagnosis.hypothesis = "status_word_set";
    diagnosis.sentence =
        "every element is right, and the status word says that the offsets are invalid";
  } else {
    return false;
  }
  diagnosis.share = 1;
  return true;
}

}  // namespace

bool follows_the_call_before(Session& kernel, const CaseSpec& spec) {
  CaseSpec mirrored = spec;
  std::reverse(mirrored.rows.begin(), mirrored.rows.end());
  CaseSpec longer = spec;
  longer.rows.push_back(1);
  longer.cap = longer.cap > 0 ? std::max<Index>(longer.cap, 1) : 0;
  if (mirrored == spec || multiply_adds(longer) > kMostProbedProducts) { return false; }
  if (!parse_case(canonical_text(mirrored)) || !parse_case(canonical_text(longer))) {
    return false;
  }
  return (wrong_after(kernel, mirrored, spec) && !wrong_after(kernel, longer, spec)) ||
         (wrong_after(kernel, spec, mirrored) && !wrong_after(kernel, longer, mirrored));
}

std::string how_a_plain_run_ends(Session& kernel, const CaseSpec& spec) {
  const auto share = take_memory(spec, kernel.manifest());
  if (!share) { return {}; }
  const Outcome outcome = kernel.run(problem_for(spec, kernel.manifest()), {});
  switch (outcome.status) {
    case RunStatus::kError:
      return "a plain run returns an error: " + outcome.message;
    case RunStatus::kUnsupported:
      return "a plain run is refused: " + outcome.message;
    case RunStatus::kCrashed:
      return "a plain run crashes: " + outcome.message;
    case RunStatus::kHung:
      return "a plain run does not end";
    case RunStatus::kNotRun:
    case RunStatus::kOk:
      break;
  }
  return {};
}

bool diagnose_what_it_left(Session& kernel, const CaseSpec& spec, Diagnosis& diagnosis) {
  const auto share = take_memory(spec, kernel.manifest());
  if (!share) { return false; }
  const Outcome outcome = kernel.run(problem_for(spec, kernel.manifest()), {});
  if (outcome.leftover.empty()) { return false; }
  diagnosis.hypothesis = "surroundings_changed";
  diagnosis.sentence = "the call returns and does not put back what it changed around it";
  diagnosis.share = 1;
  return true;
}

bool diagnose_under_both_poisons(Session& kernel, const CaseSpec& spec, Diagnosis& diagnosis) {
  const auto share = take_memory(spec, kernel.manifest());
  if (!share) { return false; }
  const Problem problem = problem_for(spec, kernel.manifest());
  for (const int poison : {0, 1}) {
    if (diagnose_what_it_wrote(kernel.run(problem, {.poison = poison}), diagnosis)) { return true; }
  }
  return false;
}

}  // namespace assay
