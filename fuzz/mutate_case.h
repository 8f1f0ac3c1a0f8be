// Mutations of a case: merge, split, swap or empty experts, move a boundary by one, change a
// convention, a fill, a size. Every result is a case that check_case accepts and that is small
// enough for a fuzzer.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/contract/manifest.h"
#include "src/problem/case_spec.h"
#include "src/problem/rng.h"

namespace assay {

// What mutations may reach: what a kernel declares, or everything that a case can say.
struct MutationSpace {
  std::vector<Pass> passes;
  std::vector<Combination> formats;  // of fwd and dgrad
  std::vector<Combination> wgrad_formats;
  std::vector<Combination> formats_of(Pass pass) const;
  std::vector<WeightsLayout> weights;
  std::vector<OffsetsKind> offsets;
  std::vector<Index> scale_pitches = {0};  // as a manifest lists them
  std::vector<ScaleLayout> scale_layouts = {ScaleLayout::kStrided};
  std::vector<ScaleStarts> scale_starts = {ScaleStarts::kCompact};
  std::vector<std::string> tactics;  // "default" included
  std::vector<Index> borders;        // sizes of tiles, to aim at their multiples and neighbours
  std::vector<Format> bias;          // none besides
  bool accumulates = true;
  bool told_differs = false;  // told= may lie about offsets=
  // Two tiles of 128 columns and 256 deep are just possible; most mutations stay below the quick
  // limits, so that a run takes a fraction of a millisecond.
  Index max_products = 40'000;
  Index max_elements = 36'864;  // of one operand, gaps included
  Index max_experts = 80;
  Index quick_products = 5'000;
  Index quick_elements = 4'096;
};
MutationSpace space_of(const Manifest& manifest);
MutationSpace whole_space();

struct Mutation {
  std::string_view name;
  void (*apply)(CaseSpec& spec, const MutationSpace& space, Rng& rng);
};
std::span<const Mutation> all_mutations();

// One to four mutations, then settle_case. Pure: the same arguments give the same case.
CaseSpec mutate_case(const CaseSpec& spec, const MutationSpace& space, Rng& rng);
// Experts of both in turn, every other word from either.
CaseSpec cross_cases(const CaseSpec& first, const CaseSpec& second, const MutationSpace& space,
                     Rng& rng);
// Where a search without seeds begins.
CaseSpec simplest_case(const MutationSpace& space);

// Makes the words agree with one another, and cuts sizes until the case is within the space's
// bounds. What check_case accepts and the bounds allow stays as it is.
void settle_case(CaseSpec& spec, const MutationSpace& space, Rng& rng);
bool is_within(const CaseSpec& spec, const MutationSpace& space);

}  // namespace assay
