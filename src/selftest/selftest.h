// Selftest: certifies copies of a kernel with planted defects; a battery that lets one live is
// broken.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/campaign/certify.h"
#include "src/selftest/smallest_case.h"

namespace assay {

// One row of <build>/defects/defects.json: {"name": "...", "kind": "F", "sentence": "...",
// "plugin": "path", "legal": false, "expected": "check, check", "first": "check", "diagnosis":
// "hypothesis, 'words'", "smallest": "experts 1025", "report": "for people"}.
struct Defect {
  std::string name;
  std::string kind;                     // of tests/defects/KINDS.md
  std::string sentence;                 // what was changed
  std::string plugin;                   // path, relative ones from the list's folder
  bool legal = false;                   // a variant that must pass instead
  std::vector<std::string> expected{};  // any of these checks should catch it; empty: any check
  // The check that catches it after many cases of others: it is run before them. It finds the same
  // there, since its cases do not depend on others; not for mistakes that earlier calls decide.
  std::string first{};
  // Any of these names its kind rightly: hypotheses, or quoted words of the finding's reason.
  std::vector<std::string> diagnosis{};
  SmallestCase smallest{};
};

// Errors: `file: ` with the entry, the field and what is expected there.
Result<std::vector<Defect>> parse_defects(const std::string& text, const std::string& file,
                                          const Registry& names);
Result<std::vector<Defect>> load_defects(const std::string& file, const Registry& names);

struct DefectResult {
  Defect defect;
  bool right = false;               // a defect was caught, a legal variant passed
  bool as_expected = false;         // by one of the expected checks
  bool diagnosed = false;           // the finding names the right kind of mistake
  bool first_missed = false;        // the check to be run first did not catch it
  double seconds_to_catch = 0;      // until the first failure, from the start of the profile
  double seconds = 0;               // until the finding was shrunk and explained
  std::string problem{};            // why it was not caught
  std::string too_large{};          // how far its case is from small enough to read
  std::vector<Finding> findings{};  // the first one
};

// When a selftest holds. Both: every defect caught, every legal variant passed.
enum class SelftestRule {
  kExplained,  // and shrunk to a case that one can read, four fifths of the defects named rightly
  kCaught,     // on a GPU: races neither shrink nor explain themselves reliably
};

struct SelftestOptions {
  CertifyOptions certify;
  std::string filter;  // regular expression on names
  bool legal = false;  // the legal variants instead of the defects
  // As many defects at once as there are threads to run cases, each in one of them. Not on a GPU,
  // which all of them would share.
  bool side_by_side = false;
  // Each variant runs one of this many shards of the profile, in turn.
  Index parts = 1;
  // A profile of few cases: a legal variant with a wide bound may prove nothing in some, unaccused.
  bool may_prove_nothing = false;
  SelftestRule rule = SelftestRule::kExplained;
  std::function<void(const DefectResult&)> done;
};

// Errors: a filter that matches nothing or is not a valid regular expression.
Result<std::vector<DefectResult>> run_selftest(
    const std::vector<Defect>& defects, const Profile& profile, const Registry& names,
    const std::function<OpenSession(const std::string&)>& open, const SelftestOptions& options);

bool selftest_holds(const std::vector<DefectResult>& results,
                    SelftestRule rule = SelftestRule::kExplained);

std::string selftest_line(const DefectResult& result);
std::string selftest_summary(const std::vector<DefectResult>& results);

}  // namespace assay
