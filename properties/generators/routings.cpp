// Generators that favour a kind of routing: skew, empty experts, single rows, tile borders, expert
// counts, recordings.
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

#include "properties/generators/draw.h"
#include "properties/generators/generator.h"
#include "src/core/require.h"
#include "src/problem/recorded.h"

namespace assay {

CaseSpec draw_small(Rng& rng, const Manifest& manifest) {
  CaseSpec spec = draw_frame(rng, manifest);
  const Index experts = rng.between(1, 9);
  for (Index expert = 0; expert < experts; ++expert) {
    // Half of the counts are tiny, one in five is 0.
    const Index kind = rng.below(10);
    spec.rows.push_back(kind < 2 ? 0 : kind < 5 ? rng.between(1, 4) : rng.between(1, 70));
  }
  draw_k_and_n(spec, rng, manifest, kSmallProducts);
  limit_products(spec, kSmallProducts);
  settle_layout(spec, rng, manifest);
  return spec;
}

CaseSpec draw_tile_borders(Rng& rng, const Manifest& manifest) {
  static const std::vector<Index> kHeights = {8, 16, 32, 64, 128, 256};
  CaseSpec spec = draw_frame(rng, manifest);
  const Index experts = rng.between(1, 6);
  for (Index expert = 0; expert < experts; ++expert) {
    const Index height = rng.pick(kHeights);
    spec.rows.push_back(std::max<Index>(0, height * rng.between(1, 2) + rng.between(-1, 1)));
  }
  draw_k_and_n(spec, rng, manifest, 8 * kSmallProducts);
  settle_layout(spec, rng, manifest);
  return spec;
}

CaseSpec draw_skewed(Rng& rng, const Manifest& manifest) {
  CaseSpec spec = draw_frame(rng, manifest);
  const Index experts = rng.between(2, 40);
  // One expert takes most, the next half of the rest, and so on; then shuffled.
  Index left = rng.between(experts, 600);
  for (Index expert = 0; expert < experts; ++expert) {
    const Index share = rng.chance(1, 4) ? 0 : (left * rng.between(1, 3) + 3) / 4;
    spec.rows.push_back(std::min(share, left));
    left -= spec.rows.back();
  }
  rng.shuffle(spec.rows);
  draw_k_and_n(spec, rng, manifest, 4 * kSmallProducts);
  settle_layout(spec, rng, manifest);
  return spec;
}

CaseSpec draw_empties(Rng& rng, const Manifest& manifest) {
  CaseSpec spec = draw_frame(rng, manifest);
  const auto run_of_empties = [&](Index most) {
    for (Index count = rng.between(0, most); count > 0; --count) { spec.rows.push_back(0); }
  };
  run_of_empties(rng.chance(1, 4) ? 33 : 3);  // at the front
  for (Index busy = rng.between(1, 4); busy > 0; --busy) {
    spec.rows.push_back(rng.between(1, 60));
    run_of_empties(rng.chance(1, 4) ? 35 : 2);  // in the middle and at the end
  }
  draw_k_and_n(spec, rng, manifest, kSmallProducts);
  settle_layout(spec, rng, manifest);
  return spec;
}

CaseSpec draw_single_rows(Rng& rng, const Manifest& manifest) {
  CaseSpec spec = draw_frame(rng, manifest);
  const Index experts = rng.between(1, 40);
  for (Index expert = 0; expert < experts; ++expert) { spec.rows.push_back(rng.between(0, 3)); }
  draw_k_and_n(spec, rng, manifest, kSmallProducts);
  settle_layout(spec, rng, manifest);
  return spec;
}

CaseSpec draw_many_experts(Rng& rng, const Manifest& manifest) {
  // Around powers of two, most often where scans and tables end, and those of models.
  static const std::vector<Index> kCounts = {31,   32,   33,   31,   32,   33,   31,   32,   33,
                                             63,   64,   65,   127,  128,  129,  127,  128,  129,
                                             127,  128,  129,  1023, 1024, 1025, 1023, 1024, 1025,
                                             1023, 1024, 1025, 60,   96,   160,  256,  384};
  constexpr double kMostExperts = 1536;
  CaseSpec spec = draw_frame(rng, manifest);
  Index experts = rng.pick(kCounts);
  // Or any number, the logarithm drawn evenly.
  if (rng.chance(1, 6)) {
    constexpr Index kSteps = 1000;
    const double part = static_cast<double>(rng.between(0, kSteps)) / kSteps;
    experts = static_cast<Index>(std::lround(2 * std::pow(kMostExperts / 2, part)));
  }
  if (manifest.max_experts > 0) { experts = std::min(experts, manifest.max_experts); }
  for (Index expert = 0; expert < experts; ++expert) {
    spec.rows.push_back(rng.chance(1, 3) ? 0 : rng.between(1, experts > 200 ? 2 : 9));
  }
  draw_k_and_n(spec, rng, manifest, 2 * kSmallProducts);
  // As many experts as most models have get any K and N; more, with few rows, would get large
  // weights.
  const Index most = experts > 200 ? 32 : 192;
  spec.k = std::min(spec.k, to_multiple(most, manifest.multiple(Axis::kK, spec.pass)));
  spec.n = std::min(spec.n, to_multiple(most, manifest.multiple(Axis::kN, spec.pass)));
  settle_layout(spec, rng, manifest);
  return spec;
}

namespace {

// Read once: a file has tens of thousands of counts.
const std::vector<RecordedStep>& recording(const std::string& file) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<RecordedStep>> recordings;
  const std::scoped_lock lock(mutex);
  const auto [place, fresh] = recordings.try_emplace(file);
  if (fresh) {
    auto steps = read_recording(file);
    ASSAY_REQUIRE(steps.has_value() && !steps->empty(), steps ? "" : steps.error().message);
    place->second = std::move(*steps);
  }
  return place->second;
}

}  // namespace

CaseSpec draw_recorded(Rng& rng, const Manifest& manifest) {
  static const std::vector<std::string> kFiles = {"moe64_top2_noaux", "moe64_top2_aux1e-2",
                                                  "moe128_top8_aux1e-3"};
  CaseSpec spec = draw_frame(rng, manifest);
  spec.rows = rng.pick(recording(rng.pick(kFiles))).rows;
  // The shape of the routing at a fraction of its rows.
  const Index divisor = rng.between(8, 32);
  for (Index& rows : spec.rows) { rows /= divisor; }
  draw_k_and_n(spec, rng, manifest, 16 * kSmallProducts);
  settle_layout(spec, rng, manifest);
  return spec;
}

}  // namespace assay
