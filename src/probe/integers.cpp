// Sums of integers: whether what fp32 loses on the way is still there at the end.
#include "src/probe/integers.h"

#include <algorithm>

#include <fmt/format.h>

namespace assay {
namespace {

constexpr Index kLarge = 8176, kOnes = 31, kTerms = 2 * kLarge + kOnes;
// 127 * 64: two thousand of them are past 2^24.
constexpr double kProduct = 8128;

// Many large products, some of 1, and as many large ones of the other sign.
Line there_and_back(double product) {
  Line line;
  for (Index place = 0; place < kTerms; ++place) {
    const bool large = place < kLarge || place >= kLarge + kOnes;
    line.push_back({place, !large ? 1 : place < kLarge ? product : -product});
  }
  return line;
}

}  // namespace

std::optional<bool> sums_are_of_32_bits(Probing& probing) {
  const Manifest& probed = probing.report.probed;
  const auto formats = probed.formats_of(probed.passes.front());
  const auto integers =
      std::ranges::find_if(formats, [](const Combination& each) { return each.in.integers(); });
  if (integers == formats.end()) { return std::nullopt; }
  ReductionBench bench(probing, *integers);
  const auto sums = bench.run({there_and_back(kProduct), there_and_back(-kProduct)}, kTerms);
  if (!sums) { return std::nullopt; }
  const bool exact = (*sums)[0] == kOnes && (*sums)[1] == kOnes;
  probing.row("sums of integers", exact ? "int32" : "not 32-bit integers",
              fmt::format("{0} products of {1}, {2} of 1 and {0} of -{1} sum to {3:g}", kLarge,
                          kProduct, kOnes, (*sums)[0]));
  return exact;
}

}  // namespace assay
