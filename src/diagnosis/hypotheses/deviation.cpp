// How the output differs from the exact one, where no cause is known: said of elements, not
// foretold.
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "src/diagnosis/hypotheses/table.h"

namespace assay {
namespace {

struct Pair {
  std::uint32_t got_bits = 0, exact_bits = 0;
  double got = 0, exact = 0;
};

Pair at(const Evidence& evidence, Index expert, Index row, Index col) {
  const oracle::Matrix& matrix = evidence.product(expert).got;
  Pair pair{.got_bits = matrix.bits(row, col),
            .exact_bits = evidence.exact_bits[evidence.element(expert, row, col)]};
  pair.got = oracle::to_double(matrix.format, pair.got_bits);
  pair.exact = oracle::to_double(matrix.format, pair.exact_bits);
  return pair;
}

// Formats are sign and magnitude: neighbours differ by one in their bits.
bool neighbours(std::uint32_t a, std::uint32_t b) { return a - b + 1 <= 2; }

template <class Chosen>
void claim_wrong(const Evidence& evidence, std::vector<Claim>& claims, const std::string& sentence,
                 const Chosen& chosen) {
  const auto wrong_and_chosen = [&](Index expert, Index row, Index col) {
    return evidence.wrong[evidence.element(expert, row, col)] &&
           chosen(at(evidence, expert, row, col));
  };
  Claim claim{.key = "",
              .sentence = sentence,
              .parts = elements_where(evidence, ClaimedPart::Kind::kWrong, wrong_and_chosen)};
  if (!claim.parts.empty()) { claims.push_back(std::move(claim)); }
}

// got over exact where the exact result is largest; 0 where fewer than three wrong elements tell
// it.
double factor_of(const Evidence& evidence) {
  constexpr int kFewest = 3;
  int told = 0;
  double largest = 0, factor = 0;
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    for (Index row = 0; row < evidence.product(expert).got.rows; ++row) {
      for (Index col = 0; col < evidence.product(expert).got.cols; ++col) {
        if (!evidence.wrong[evidence.element(expert, row, col)]) { continue; }
        const Pair pair = at(evidence, expert, row, col);
        if (!std::isfinite(pair.got) || !std::isfinite(pair.exact) || pair.exact == 0) { continue; }
        ++told;
        if (!(std::fabs(pair.exact) > largest)) { continue; }
        largest = std::fabs(pair.exact);
        factor = pair.got / pair.exact;
      }
    }
  }
  return told >= kFewest ? factor : 0;
}

}  // namespace

void propose_special_values_lost(const Evidence& evidence, std::vector<Claim>& claims) {
  claim_wrong(
      evidence, claims, "NaN or infinity of the operands does not reach the output",
      [](const Pair& pair) { return !std::isfinite(pair.exact) && std::isfinite(pair.got); });
}

void propose_scaled(const Evidence& evidence, std::vector<Claim>& claims) {
  const double factor = factor_of(evidence);
  const std::string words = fmt::format("{:.4g}", factor);
  if (factor == 0 || words == "1") { return; }
  const oracle::Format out = evidence.product(0).got.format;
  claim_wrong(evidence, claims, fmt::format("outputs are {} times what they should be", words),
              [&](const Pair& pair) {
                return std::isfinite(pair.exact) && pair.exact != 0 &&
                       neighbours(pair.got_bits, oracle::round_nearest(out, pair.exact * factor));
              });
}

void propose_one_ulp_off(const Evidence& evidence, std::vector<Claim>& claims) {
  claim_wrong(evidence, claims, "outputs are one unit in the last place off",
              [](const Pair& pair) { return neighbours(pair.got_bits, pair.exact_bits); });
}

}  // namespace assay
