#include "src/problem/exact_plan.h"

#include <algorithm>
#include <bit>

#include "src/core/require.h"
#include "src/problem/rng.h"
#include "src/problem/scales.h"

namespace assay {
namespace {

constexpr Index kMostAnchors = 16;
constexpr Index kLeastAnchoredReduction = 3;  // two anchors and something to see beside them

struct Levels {
  int a_most, b_most, most_scale;
};
constexpr Levels kLevels[] = {{4, 2, 4}, {4, 2, 2}, {3, 2, 2}, {2, 2, 2},
                              {2, 1, 2}, {1, 1, 2}, {1, 1, 1}};

// Levels of x, w, y that keep the product of every two of them small: integers are the same in all
// passes.
struct OperandLevels {
  int x, w, y, most_scale, most_product;
};
constexpr OperandLevels kOperandLevels[] = {{4, 2, 2, 3, 36}, {3, 1, 1, 4, 16}, {2, 1, 1, 3, 9},
                                            {2, 1, 1, 2, 4},  {2, 1, 1, 1, 2},  {1, 1, 1, 1, 1}};

Index calls(const CaseSpec& spec) { return std::max(1, spec.acc); }

// 1..most, neighbouring experts differently.
int expert_scale(const FillPart& part, int most, std::uint64_t which) {
  const std::uint64_t phase = child_state(part.spec->seed, which) % 16;
  return 1 + static_cast<int>((static_cast<std::uint64_t>(part.expert) + phase) %
                              static_cast<std::uint64_t>(most));
}

// Whether the format has 1 to `most` times 1 to `scale`.
bool holds(Format format, int most, int scale) {
  for (int i = 1; i <= most; ++i) {
    for (int j = 1; j <= scale; ++j) {
      if (decode(format, encode(format, i * j)) != i * j) { return false; }
    }
  }
  return true;
}

void set_levels(const FillPart& part, ExactPlan& plan, Index limit) {
  const Inputs& in = part.spec->in;
  for (const Levels& levels : kLevels) {
    const Index product = levels.a_most * levels.b_most * levels.most_scale;
    if (product * plan.nonzeros > limit && product > 1) { continue; }
    if (!holds(in.a.format, levels.a_most, 1) ||
        !holds(in.b.format, levels.b_most, levels.most_scale)) {
      continue;
    }
    plan.a_most = levels.a_most;
    plan.b_most = levels.b_most;
    plan.b_scale = expert_scale(part, levels.most_scale, 0);
    return;
  }
}

ExactPlan plan_integers(const FillPart& part, Index limit) {
  const CaseSpec& spec = *part.spec;
  const Index longest = std::max({spec.k, spec.n, part.most_rows});
  ExactPlan plan;
  plan.nonzeros = part.reduction;
  for (const OperandLevels& levels : kOperandLevels) {
    if (levels.most_product > limit / longest) { continue; }
    const PerOperand<int> most{levels.x, levels.w, levels.y};
    const PerOperand<int> scale{1, expert_scale(part, levels.most_scale, 0),
                                expert_scale(part, levels.most_scale, 1)};
    const Role a = operation(spec.pass).a.role, b = operation(spec.pass).b.role;
    plan.a_most = most[a];
    plan.a_scale = scale[a];
    plan.b_most = most[b];
    plan.b_scale = scale[b];
    return plan;
  }
  plan.nonzeros = std::min(part.reduction, limit);
  return plan;
}

// Sums of small products that an output of this format holds exactly.
Index representable(Format out) { return Index{1} << traits(out).significand_bits; }

// Of C or a bias: what leaves most of either budget to the products.
int c_most(const FillPart& part) {
  if (!adds_to_sums(*part.spec)) { return 0; }
  const int by_output = static_cast<int>(std::min<Index>(64, representable(part.spec->out) / 4));
  return std::min(by_output, 1 << (part.exact_bits - 3));
}

int largest_power(Format format) { return std::min(24, traits(format).max_exponent); }

int anchor_exponent(const FillPart& part, Index small_sum, Index whole) {
  constexpr int kLeast = 3, kMost = 22;
  const Index room = (whole - calls(*part.spec) * small_sum) / (2 * calls(*part.spec));
  if (room < (1 << kLeast)) { return 0; }
  const int by_room = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(room))) - 1;
  const Inputs& in = part.spec->in;
  return std::min({kMost, by_room, largest_power(in.a.format) + largest_power(in.b.format)});
}

}  // namespace

ExactPlan plan_exact(const FillPart& part) {
  ASSAY_REQUIRE(part.exact_bits >= 8 && part.exact_bits <= 24, part.exact_bits);
  const CaseSpec& spec = *part.spec;
  const int paid = exact_scale_bits(spec);
  const Index whole = ((Index{1} << part.exact_bits) - c_most(part)) >> paid;
  if (spec.fill == Fill::kIntegers) {
    const Index finite = (Index{1} << largest_power(spec.out)) >> paid;
    ExactPlan plan = plan_integers(part, std::min(whole / calls(spec), finite));
    plan.c_most = c_most(part);
    return plan;
  }
  // Anchors under different scales would not cancel.
  const bool anchored =
      spec.fill == Fill::kAnchored && part.reduction >= kLeastAnchoredReduction && paid == 0;
  const Index limit = std::min(std::max<Index>(1, (representable(spec.out) - c_most(part)) >> paid),
                               std::max<Index>(2, whole / calls(spec) / (anchored ? 8 : 1)));
  ExactPlan plan;
  plan.c_most = c_most(part);
  plan.nonzeros = part.reduction;
  if (spec.fill == Fill::kSparse) {
    plan.nonzeros = std::min(part.reduction, std::max<Index>(2, part.reduction / 4));
  }
  // Half of the limit leaves room for experts of another scale.
  if (plan.nonzeros > limit) { plan.nonzeros = limit >= 8 ? limit / 2 : limit; }
  set_levels(part, plan, limit);
  if (anchored) {
    plan.anchor_exponent = anchor_exponent(part, limit, whole);
    plan.anchor_exponent_a =
        std::clamp(plan.anchor_exponent / 2, plan.anchor_exponent - largest_power(spec.in.b.format),
                   largest_power(spec.in.a.format));
  }
  return plan;
}

std::vector<Index> anchor_positions(const FillPart& part, const ExactPlan& plan) {
  std::vector<Index> positions;
  if (plan.anchor_exponent == 0) { return positions; }
  const Index length = part.reduction;
  const Index count = std::clamp<Index>(length / 4, 2, kMostAnchors);
  const auto is_border = [length](Index r) {
    return r == 0 || r == length - 1 || r % TilePattern::kTile == 0 ||
           r % TilePattern::kTile == TilePattern::kTile - 1;
  };
  const std::uint64_t state = child_state(part.expert_state, 100);
  for (Index i = 0; i < count; ++i) {
    const Index first = i * length / count;
    const Index width = (i + 1) * length / count - first;
    const Index offset = static_cast<Index>(child_state(state, static_cast<std::uint64_t>(i)) %
                                            static_cast<std::uint64_t>(width));
    // Borders are left to the small integers where the stratum has another place.
    Index position = first + offset;
    for (Index step = 0; step < width && is_border(position); ++step) {
      position = first + (position - first + 1) % width;
    }
    positions.push_back(position);
  }
  return positions;
}

TilePattern::TilePattern(Index reduction, Index nonzeros, std::uint64_t state)
    : reduction_(reduction), tiles_((reduction + kTile - 1) / kTile), state_(state) {
  if (nonzeros >= reduction) {
    per_tile_ = kTile;
  } else if (nonzeros / tiles_ >= 2) {
    per_tile_ = nonzeros / tiles_;
  } else if (nonzeros > 2) {
    every_ = (tiles_ + nonzeros - 3) / (nonzeros - 2);  // the first and last r come on top
  }
}

std::uint64_t TilePattern::mask(Index free, Index tile) const {
  const Index width = std::min(kTile, reduction_ - tile * kTile);
  const std::uint64_t first = 1;
  const std::uint64_t last = first << (width - 1);
  if (per_tile_ >= width) { return last | (last - 1); }
  std::uint64_t mask = 0;
  const std::uint64_t word =
      child_state(state_ + static_cast<std::uint64_t>(free), static_cast<std::uint64_t>(tile));
  if (per_tile_ >= 2) {
    mask = first | last;
    Rng rng(word);
    const Index inner = per_tile_ - 2, span = width - 2;
    for (Index j = 0; j < inner; ++j) {
      const Index low = 1 + j * span / inner;
      const Index high = 1 + (j + 1) * span / inner;
      mask |=
          first << (low + static_cast<Index>(rng.next() % static_cast<std::uint64_t>(high - low)));
    }
  } else if (every_ > 0 && (tile + free) % every_ == 0) {
    const Index turn = (free / every_ + tile) % 3;
    mask = turn == 0   ? first
           : turn == 1 ? last
                       : first << (word % static_cast<std::uint64_t>(width));
  }
  if (tile == 0) { mask |= first; }
  if (tile == tiles_ - 1) { mask |= last; }
  return mask;
}

}  // namespace assay
