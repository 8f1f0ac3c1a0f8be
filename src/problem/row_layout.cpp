#include "src/problem/row_layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/problem/convention.h"
#include "src/problem/rng.h"

namespace assay {
namespace {

// Children of the seed.
constexpr std::uint64_t kRowsChild = 300, kWeightsChild = 301, kGapsChild = 302, kSharedChild = 303;

std::vector<Index> in_turn(Index count) {
  std::vector<Index> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), Index{0});
  return numbers;
}

// Never the order in which they are told, unless there is one.
std::vector<Index> scattered(const CaseSpec& spec, std::uint64_t child) {
  std::vector<Index> order = in_turn(spec.experts());
  Rng rng(child_state(spec.seed, child));
  rng.shuffle(order);
  if (std::ranges::is_sorted(order)) {
    // clang 14 does not compile std::ranges::rotate.
    std::rotate(order.begin(), order.begin() + std::ssize(order) / 2, order.end());
  }
  return order;
}

}  // namespace

Index align_up(Index value, Index multiple) { return (value + multiple - 1) / multiple * multiple; }

Index storage_cols(const CaseSpec& spec, Role role) {
  const MatrixAxes axes = axes_of(role);
  const bool turned = role == Role::kW && spec.weights == WeightsLayout::kEnk;
  return axis_sizes(spec, 0)[turned ? axes.rows : axes.cols];
}

Index storage_rows(const CaseSpec& spec) {
  return spec.weights == WeightsLayout::kEnk ? spec.n : spec.k;
}

Index row_pitch(const CaseSpec& spec, Role role) {
  return storage_cols(spec, role) + spec.ld[role];
}

Index expert_pitch(const CaseSpec& spec) {
  return storage_rows(spec) * row_pitch(spec, Role::kW) + spec.wpitch;
}

Index buffer_rows(const CaseSpec& spec) {
  if (!traits(spec.offsets.convention).has_buffers) { return 0; }
  if (spec.cap > 0) { return spec.cap; }
  Index most = 1;
  for (const Index rows : spec.rows) { most = std::max(most, rows); }
  return most;
}

RowLayout lay_out_rows(const CaseSpec& spec) {
  RowLayout layout;
  layout.counts = spec.rows;
  layout.starts.resize(spec.rows.size());
  const Index cap = buffer_rows(spec);
  const bool scatters = spec.pointers != Pointers::kInOrder;
  const std::vector<Index> order = scatters ? scattered(spec, kRowsChild) : in_turn(spec.experts());
  Rng gaps(child_state(spec.seed, kGapsChild));
  Index next = 0;
  for (const Index expert : order) {
    if (scatters) { next += gaps.below(3) * spec.pad; }
    layout.starts[expert] = next;
    next = cap > 0 ? next + cap : align_up(next + spec.rows[expert], spec.pad);
  }
  layout.physical_rows = next + spec.tail;
  return layout;
}

std::vector<Index> experts_in_place(const RowLayout& layout) {
  std::vector<Index> experts = in_turn(static_cast<Index>(layout.starts.size()));
  std::ranges::stable_sort(experts, {}, [&](Index expert) {
    return std::pair(layout.starts[expert], layout.counts[expert] > 0);
  });
  return experts;
}

// The first of every four experts gives its matrix to one more, most often to the next.
Index weights_owner(const CaseSpec& spec, Index expert) {
  constexpr Index kSharers = 4;
  const Index within = expert % kSharers;
  if (spec.pointers != Pointers::kShared || within == 0) { return expert; }
  const Index first = expert - within;
  const std::uint64_t state = child_state(spec.seed, kSharedChild);
  Rng rng(child_state(state, static_cast<std::uint64_t>(first)));
  const Index sharer = rng.chance(1, 2) ? 1 : rng.between(2, kSharers - 1);
  return within == sharer ? first : expert;
}

std::vector<Index> weight_places(const CaseSpec& spec) {
  if (spec.pointers == Pointers::kInOrder) { return in_turn(spec.experts()); }
  std::vector<Index> places = scattered(spec, kWeightsChild);
  const auto first = std::ranges::find(places, Index{0});
  const Index holder = first - places.begin();
  if (weights_owner(spec, holder) != holder) { std::swap(*first, places.front()); }
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    places[expert] = places[weights_owner(spec, expert)];
  }
  return places;
}

}  // namespace assay
