// Mutations of the routing.
#include <algorithm>

#include "fuzz/mutations.h"

namespace assay::mutations {
namespace {

Index any_expert(const CaseSpec& spec, Rng& rng) { return rng.below(spec.experts()); }

Index& count_of(CaseSpec& spec, Index expert) { return spec.rows[expert]; }

void insert_at(CaseSpec& spec, Index place, Index experts, Index count) {
  spec.rows.insert(spec.rows.begin() + place, static_cast<std::size_t>(experts), count);
}

// The front, the end or anywhere: the ends are where loops over experts break.
Index any_place(const CaseSpec& spec, Rng& rng) {
  switch (rng.below(3)) {
    case 0:
      return 0;
    case 1:
      return spec.experts();
    default:
      return rng.between(0, spec.experts());
  }
}

}  // namespace

void merge_experts(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  if (spec.experts() < 2) { return; }
  const Index left = rng.below(spec.experts() - 1);
  count_of(spec, left) += count_of(spec, left + 1);
  spec.rows.erase(spec.rows.begin() + left + 1);
}

void split_expert(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  const Index expert = any_expert(spec, rng);
  const Index kept = rng.between(0, count_of(spec, expert));
  insert_at(spec, expert + 1, 1, count_of(spec, expert) - kept);
  count_of(spec, expert) = kept;
}

void swap_experts(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  std::swap(count_of(spec, any_expert(spec, rng)), count_of(spec, any_expert(spec, rng)));
}

void empty_expert(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  count_of(spec, any_expert(spec, rng)) = 0;
}

void insert_empty_experts(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  const Index experts = rng.chance(1, 2) ? 1 : rng.between(2, rng.chance(1, 4) ? 40 : 4);
  insert_at(spec, any_place(spec, rng), experts, 0);
}

void insert_expert(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  const Index count = rng.chance(1, 2) ? rng.between(1, 3) : count_of(spec, any_expert(spec, rng));
  insert_at(spec, any_place(spec, rng), 1, count);
}

void remove_expert(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  if (spec.experts() < 2) { return; }
  spec.rows.erase(spec.rows.begin() + any_expert(spec, rng));
}

void move_boundary(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  if (spec.experts() < 2) { return; }
  Index from = rng.below(spec.experts() - 1);
  Index to = from + 1;
  if (rng.chance(1, 2)) { std::swap(from, to); }
  if (count_of(spec, from) == 0) { return; }
  --count_of(spec, from);
  ++count_of(spec, to);
}

void nudge_count(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  Index& count = count_of(spec, any_expert(spec, rng));
  count = std::max<Index>(0, count + (rng.chance(1, 2) ? 1 : -1));
}

void aim_count(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  const Index border = rng.pick(space.borders);
  const Index multiple = rng.chance(3, 4) ? 1 : rng.between(2, 3);
  count_of(spec, any_expert(spec, rng)) =
      std::max<Index>(0, border * multiple + rng.between(-2, 2));
}

void move_all_rows(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  const Index total = total_rows(spec);
  std::fill(spec.rows.begin(), spec.rows.end(), 0);
  count_of(spec, any_expert(spec, rng)) = total;
}

void scale_counts(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  const bool down = rng.chance(1, 2);
  for (Index& count : spec.rows) { count = down ? count / 2 : count * 2; }
}

void reverse_experts(CaseSpec& spec, const MutationSpace&, Rng& rng) {
  const auto middle = spec.rows.begin() + any_expert(spec, rng);
  std::reverse(rng.chance(1, 2) ? spec.rows.begin() : middle, spec.rows.end());
}

}  // namespace assay::mutations
