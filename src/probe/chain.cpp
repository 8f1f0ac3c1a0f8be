#include "src/probe/chain.h"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

constexpr Index kSteps[] = {1, 2, 4, 8, 16, 32, 64, 128};
constexpr std::size_t kMostChains = 40;
// Beside this a unit is lost in fp32, and in every step that keeps 25 bits.
constexpr int kLosesUnits = 27;
constexpr int kMostBits = 40;

// Places near the beginning, and around every larger border that tiles have.
std::vector<Index> places_of(Index length) {
  std::vector<Index> places;
  for (Index place = 0; place < std::min<Index>(length, 36); ++place) { places.push_back(place); }
  for (Index border = 64; border < length; border *= 2) {
    for (const Index place : {border - 1, border, border + 1, border + border / 2}) {
      if (place < length) { places.push_back(place); }
    }
  }
  if (places.back() < length - 1) { places.push_back(length - 1); }
  return places;
}

class OrderFinder {
 public:
  OrderFinder(ReductionBench& bench, Index length)
      : bench_(bench), length_(length), large_(std::ldexp(1.0, largest_exponent(bench.in()))) {}

  std::optional<Chain> find() {
    std::optional<Chain> best;
    for (const bool ascending : {true, false}) {
      std::optional<Chain> chain = find_starts(ascending);
      if (!chain) { return std::nullopt; }
      if (!settle_step(*chain)) { return std::nullopt; }
      if (!best || chain->strays < best->strays) { best = chain; }
      if (best->known) { break; }
    }
    return best;
  }

 private:
  struct Try {
    Index pair = 0, unit = 0;  // in the chain's own direction
  };

  Index turned(bool ascending, Index place) const {
    return ascending ? place : length_ - 1 - place;
  }
  Line line_of(bool ascending, const Try& attempt) const {
    return {{turned(ascending, attempt.pair), large_},
            {turned(ascending, attempt.pair + 1), -large_},
            {turned(ascending, attempt.unit), 1}};
  }
  std::optional<std::vector<double>> run(bool ascending, const std::vector<Try>& tries) {
    std::vector<Line> lines;
    for (const Try& attempt : tries) { lines.push_back(line_of(ascending, attempt)); }
    return bench_.run(lines, length_);
  }

  // The first pair after it that the unit survives, `length_` if there is none. Looked for a piece
  // at a time: partial sums are often short.
  std::optional<Index> next_start(bool ascending, Index unit) {
    constexpr Index kPiece = 192;
    for (Index first = unit + 1; first + 1 < length_; first += kPiece) {
      std::vector<Try> tries;
      for (Index pair = first; pair < std::min(first + kPiece, length_ - 1); ++pair) {
        tries.push_back({pair, unit});
      }
      const auto sums = run(ascending, tries);
      if (!sums) { return std::nullopt; }
      const auto survivor = std::ranges::find(*sums, 1.0);
      if (survivor != sums->end()) { return tries[survivor - sums->begin()].pair; }
    }
    return length_;
  }

  // A unit at the first place of a partial sum is lost to every later pair of that sum.
  std::optional<Chain> find_starts(bool ascending) {
    Chain chain{.ascending = ascending, .starts = {0}, .length = length_};
    while (chain.starts.size() < kMostChains) {
      const auto next = next_start(ascending, chain.starts.back());
      if (!next) { return std::nullopt; }
      if (*next == length_) { break; }
      chain.starts.push_back(*next);
    }
    return chain;
  }

  bool lost(const Chain& chain, const Try& attempt) const {
    const auto part = [&](Index place) {
      return std::upper_bound(chain.starts.begin(), chain.starts.end(), place) -
             chain.starts.begin() - 1;
    };
    const auto own = part(attempt.pair);
    if (part(attempt.unit) != own) { return false; }
    const Index start = chain.starts[own];
    return (attempt.unit - start) / chain.step <= (attempt.pair + 1 - start) / chain.step;
  }

  // Pairs across two partial sums say nothing: how these are added is not known.
  bool is_across(const Chain& chain, Index pair) const {
    return std::ranges::binary_search(chain.starts, pair + 1);
  }

  bool settle_step(Chain& chain) {
    std::vector<Try> tries;
    const std::vector<Index> places = places_of(length_);
    for (const Index pair : places) {
      if (pair + 1 >= length_ || is_across(chain, pair)) { continue; }
      for (const Index unit : places) {
        if (unit != pair && unit != pair + 1) { tries.push_back({pair, unit}); }
      }
    }
    const auto sums = run(chain.ascending, tries);
    if (!sums) { return false; }
    chain.lines = static_cast<Index>(tries.size());
    chain.strays = chain.lines;
    Chain candidate = chain;
    for (const Index step : kSteps) {
      candidate.step = step;
      Index strays = 0;
      for (std::size_t i = 0; i < tries.size(); ++i) {
        const double expected = lost(candidate, tries[i]) ? 0 : 1;
        strays += (*sums)[i] != expected;
      }
      if (strays >= chain.strays) { continue; }
      chain.step = step;
      chain.strays = strays;
    }
    chain.known = chain.strays == 0 && chain.starts.size() < kMostChains;
    return true;
  }

  ReductionBench& bench_;
  Index length_;
  double large_;
};

struct Distance {
  Index places = 0;
  int bits = 0;
};

class LevelFinder {
 public:
  LevelFinder(ReductionBench& bench, const Chain& chain)
      : bench_(bench), chain_(chain), most_(std::min(largest_exponent(bench.in()), kMostBits)) {}

  std::vector<Level> find() {
    std::vector<Level> levels;
    Index before = 0;
    for (const Distance& distance : distances()) {
      if (levels.empty() || distance.bits < levels.back().bits) {
        const Index from = levels.empty() ? distance.places
                                          : first_loss(before, distance.places, levels.back().bits);
        levels.push_back({.from = from, .bits = distance.bits});
      }
      before = distance.places;
    }
    for (Level& level : levels) { settle_rounding(level); }
    for (Level& level : levels) {
      if (level.bits >= most_) { level.bits = -1; }
    }
    return levels;
  }

 private:
  // +2^exponent first, `value` next, the opposite `places` after the first.
  Line line_of(Index places, int exponent, double value) const {
    const auto at = [&](Index place) {
      return chain_.ascending ? place : chain_.length - 1 - place;
    };
    const double large = std::ldexp(1.0, exponent);
    return {{at(0), large}, {at(1), value}, {at(places), -large}};
  }

  std::vector<Distance> distances() {
    std::vector<Line> lines;
    std::vector<Index> places = places_of(chain_.length);
    std::erase_if(places, [](Index place) { return place < 2; });
    for (const Index place : places) {
      for (int exponent = 1; exponent <= most_; ++exponent) {
        lines.push_back(line_of(place, exponent, 1));
      }
    }
    const auto sums = bench_.run(lines, chain_.length);
    std::vector<Distance> distances;
    for (std::size_t i = 0; sums && i < places.size(); ++i) {
      const auto* const first = sums->data() + i * static_cast<std::size_t>(most_);
      const auto* const lost = std::find_if(first, first + most_, [](double s) { return s != 1; });
      distances.push_back({places[i], static_cast<int>(lost - first)});
    }
    return distances;
  }

  // The first of (kept, lost] at which a unit beside 2^exponent is lost.
  Index first_loss(Index kept, Index lost, int exponent) {
    while (lost - kept > 1) {
      const Index middle = kept + (lost - kept) / 2;
      const auto sums = bench_.run({line_of(middle, exponent, 1)}, chain_.length);
      if (!sums) { break; }
      ((*sums)[0] == 1 ? kept : lost) = middle;
    }
    return lost;
  }

  // One and a half units where two are the smallest step.
  void settle_rounding(Level& level) {
    if (level.bits >= most_) { return; }
    const auto sums = bench_.run({line_of(level.from, level.bits + 1, 1.5)}, chain_.length);
    level.nearest = sums && (*sums)[0] == 2;
  }

  ReductionBench& bench_;
  const Chain& chain_;
  int most_;
};

}  // namespace

std::optional<Chain> find_chain(ReductionBench& bench, Index length) {
  if (largest_exponent(bench.in()) < kLosesUnits) { return std::nullopt; }
  return OrderFinder(bench, length).find();
}

std::vector<Level> find_levels(ReductionBench& bench, const Chain& chain) {
  return LevelFinder(bench, chain).find();
}

}  // namespace assay
