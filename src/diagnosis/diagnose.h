// Diagnosis: what kind of mistake a wrong output shows. Hypotheses (src/diagnosis/hypotheses) say
// what the kernel would have written had it made a certain mistake; the one that explains most of
// the wrong elements is named.
#pragma once

#include <string>
#include <vector>

#include "src/harness/call/session.h"
#include "src/problem/case_spec.h"

namespace assay {

struct Diagnosis {
  std::string hypothesis{};  // its name; empty: none explains the output
  std::string sentence{};    // for people, with the numbers of this case; alone: how the run ended
  double share = 0;          // of the wrong elements, explained
  Index tried = 0;           // hypotheses
  std::string where{};       // which elements are wrong; empty where none is in a plain run
};

// Runs the cases again (and some with other values in them) and explains what went wrong. The first
// is the one that `where` and the sentence speak of; further ones settle what a small case leaves
// open.
Diagnosis diagnose(Session& kernel, const std::vector<CaseSpec>& cases);

}  // namespace assay
