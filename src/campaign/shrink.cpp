#include "src/campaign/shrink.h"

#include <string>
#include <unordered_set>

#include "properties/support/run_check.h"
#include "src/problem/case_text.h"
#include "src/problem/shrink.h"

namespace assay {

Shrunk shrink_case(const CaseSpec& spec, const StillFails& still_fails,
                   const ShrinkLimits& limits) {
  const auto start = ShrinkLimits::Clock::now();
  const auto spent = [&](const Shrunk& shrunk) {
    return shrunk.tries >= limits.max_tries || limits.out_of_time(start);
  };
  Shrunk shrunk{.spec = spec};
  std::unordered_set<std::string> tried{canonical_text(spec)};
  while (!shrunk.finished) {
    shrunk.finished = true;
    for (const CaseSpec& candidate : shrink_candidates(shrunk.spec)) {
      if (!tried.insert(canonical_text(candidate)).second) { continue; }
      if (spent(shrunk)) {
        shrunk.finished = false;
        return shrunk;
      }
      ++shrunk.tries;
      if (!still_fails(candidate)) { continue; }
      shrunk.spec = candidate;
      ++shrunk.moves;
      shrunk.finished = false;
      break;
    }
  }
  return shrunk;
}

bool fails_alike(const Verdict& met, const Verdict& verdict) {
  const auto aspect = headline(met.failed);
  return verdict.kind == met.kind && (!aspect || headline(verdict.failed) == aspect);
}

bool SameFailure::operator()(const CaseSpec& spec) {
  if (check_.not_applicable && check_.not_applicable(kernel_.manifest())) { return false; }
  Verdict verdict = run_check(check_, kernel_, spec);
  if (!fails_alike(met_, verdict)) { return false; }
  verdict_ = std::move(verdict);
  return true;
}

}  // namespace assay
