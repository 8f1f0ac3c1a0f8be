// Rule self-test: on the cases of a profile, the acceptance rule must reject every trivial wrong
// answer that differs from the exact result, and on exact fills an answer one unit in the last
// place off in a single element.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "oracle/judge.h"
#include "src/campaign/profile.h"
#include "src/contract/manifest.h"

namespace assay {

// One class of cases: fill, formats, and the length of the reduction up to a power of four.
struct RuleClass {
  Fill fill = Fill::kIntegers;
  std::string in{};  // as `bf16`, or `bf16 e4m3`
  Output out;
  Index longest_reduction = 0;
  Index cases = 0;
  Index no_answer_differs = 0;  // all trivial answers equal the exact result: nothing to reject
  Index overflowing = 0;        // sums beyond the accumulator's range: not counted as tried
  std::array<Index, oracle::kTrivialCount> tried{};     // cases in which the answer differs
  std::array<Index, oracle::kTrivialCount> accepted{};  // of those, accepted all the same
  Index ulp_tried = 0, ulp_accepted = 0;
};

// Cases without a product (no rows at all) are left out.
std::vector<RuleClass> test_rules(const Profile& profile, const Registry& names,
                                  const Manifest& manifest);
// Nothing accepted, and in at most a fifth of each class no answer differs.
bool rules_hold(const std::vector<RuleClass>& classes);
std::string rules_table(const std::vector<RuleClass>& classes);

}  // namespace assay
