// Check: one true sentence about a kernel, a plain function from (kernel, case) to a verdict, free
// of any test framework. Each is one file of properties/checks, which the build finds by itself;
// commands, profiles, drivers and fuzzers read everything about it from its Check.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "properties/aspect.h"
#include "src/harness/call/session.h"
#include "src/harness/memory/case_memory.h"
#include "src/problem/case_spec.h"

namespace assay {

enum class VerdictKind : std::uint8_t {
  kPassed,
  kFailed,
  kUnsupported,
  kCrashed,
  kHung,
  kInconclusive,
  kNotApplicable,
  kNotRun,
  kMeasured  // judged right, then measured; nothing says whether the figure is good
};
std::string_view name(VerdictKind kind);

// The figure that a check reports of each case once the case was judged right.
enum class WorseIs : std::uint8_t { kMore, kLess };
struct Measure {
  std::string_view unit;  // follows the number: "times the loop's time"
  WorseIs worse = WorseIs::kMore;
  double remarkable = 0;  // a worst figure of at least this gets a line of its own; 0: none does
};

// The worst element of a verdict, in the words of the case.
struct Entry {
  Index expert = 0, row = 0, col = 0;  // row and col of the expert's own output matrix
  std::uint32_t got_bits = 0, exact_bits = 0;
  double got = 0, exact = 0, bound = 0, ratio = 0;
};

struct Verdict {
  VerdictKind kind = VerdictKind::kNotRun;
  std::string reason{};                // one line: what is wrong, or why it was not judged
  std::vector<FailedAspect> failed{};  // all that is wrong, the one in `reason` first
  std::optional<Entry> worst{};        // absent where no element was judged
  double worst_ratio = 0;              // error over bound, also of a pass
  Index wrong_elements = 0;
  Index elements = 0;
  Index runs = 0;                    // kernel calls made
  bool killed = false;               // crashed: by SIGKILL, which the system and people send, too
  std::optional<double> measured{};  // of kMeasured, in the check's unit
  // The case that came out wrong, where a check judges others than the one that it was given.
  std::optional<CaseSpec> inner{};
};

// Cases of one generator that the profiles in corpus/profiles give a check; 0: none.
struct Draw {
  std::string_view generator;
  std::uint64_t seed = 0;
  Index quick = 0, ci = 0, peers = 0, full = 0;
};

struct Check {
  std::string_view name;            // the sentence in snake_case: the file's name
  std::string_view summary;         // for people
  std::string_view guards_against;  // which public bug it is for, or why it stays
  std::string_view advice{};        // what to do when it fails
  int order = 1000;                 // its place in lists, reports and profiles
  std::span<const Draw> draws{};
  // Why the check makes no sense for this kernel, or nothing.
  std::optional<std::string> (*not_applicable)(const Manifest& manifest);
  // Turns any drawn case into one that this check can use (pass, fill, acc...). May be null.
  void (*prepare)(CaseSpec& spec, const Manifest& manifest);
  Verdict (*run)(Session& kernel, const CaseSpec& spec);
  bool shrinks = true;                // false: its verdict does not depend on the case
  HeldAtOnce holds{};                 // by which the memory for a case is counted
  std::optional<Measure> measures{};  // of a check that passes no kernel: it finds, or measures
  // Of a check whose cases are of a few kinds: makes a case, prepared, one of kind `index`, so that
  // the cases of a profile's line have every kind. May be null.
  void (*enumerate)(CaseSpec& spec, const Manifest& manifest, Index index) = nullptr;
  // Its problems have so many experts for one of the case, or one more: 1, 2; 0 for those that have
  // the case's. max_experts leaves room for them.
  Index times_experts = 0;
  bool linear = false;           // holds of products alone: its cases have no bias
  bool leaves_manifest = false;  // its cases are outside the manifest on purpose
};

std::span<const Check> all_checks();
const Check* find_check(std::string_view name);
// For a message: 'NAME' is unknown, or what it is called now.
std::string unknown_check(std::string_view name);

}  // namespace assay
