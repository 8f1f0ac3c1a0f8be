// Generator: a named family of cases that favours what breaks kernels. A drawn case is a pure
// function of (generator, manifest, random state): the manifest decides which passes, formats,
// layouts and conventions are drawn.
#pragma once

#include <span>
#include <string_view>

#include "src/contract/manifest.h"
#include "src/problem/case_spec.h"
#include "src/problem/rng.h"

namespace assay {

struct Generator {
  std::string_view name;
  std::string_view sentence;  // what it favours
  CaseSpec (*draw)(Rng& rng, const Manifest& manifest);
  // In its place where cases are enumerated: case `index` of a line, so that none is left to luck.
  CaseSpec (*nth)(Rng& rng, const Manifest& manifest, Index index) = nullptr;
  // Whether a kernel takes what it favours; null: any does. Else a profile leaves its lines out.
  bool (*applies)(const Manifest& manifest) = nullptr;
};

std::span<const Generator> all_generators();
const Generator* find_generator(std::string_view name);

// Case number `index` of a battery line: draw, then the check's prepare and enumerate. Where the
// manifest excludes it, its rows are cut to what the manifest takes, or it is drawn again, a few
// times at most; only what is outside on purpose stays so. The same on every machine, in shards
// and after a resume.
struct Check;
CaseSpec nth_case(const Generator& generator, const Check& check, const Manifest& manifest,
                  std::uint64_t seed, Index index);

}  // namespace assay
