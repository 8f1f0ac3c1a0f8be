// The right sums, changed on their way out.
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "src/certify/hypotheses/table.h"

namespace assay {
namespace {

// Bits of the correctly rounded result, row-major.
std::vector<std::uint32_t> exact_bits(const oracle::Product& product) {
  const Index element = oracle::shape(product.got.format).size_bytes;
  const Index elements = product.got.rows * product.got.cols;
  std::vector<std::byte> stored(static_cast<std::size_t>(elements * element));
  oracle::exact_result(product, stored.data());
  std::vector<std::uint32_t> bits;
  for (Index i = 0; i < elements; ++i) {
    bits.push_back(oracle::load(product.got.format, stored.data() + i * element));
  }
  return bits;
}

// One kBits part an expert: change(exact bits, got bits) of each element.
template <class Change>
std::vector<ClaimedPart> changed_bits(const Evidence& evidence, const Change& change) {
  std::vector<ClaimedPart> parts;
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kBits);
    part.bits = exact_bits(part.product);
    for (Index i = 0; i < std::ssize(part.bits); ++i) {
      const std::uint32_t got = evidence.product(expert).got.bits(i / part.cols, i % part.cols);
      part.bits[static_cast<std::size_t>(i)] = change(part.bits[static_cast<std::size_t>(i)], got);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

// got / exact of the wrong element with the largest exact value; nothing where it says little.
std::optional<double> factor_of(const Evidence& evidence) {
  double largest = 0, factor = 1;
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    const oracle::Product& product = evidence.product(expert);
    const std::vector<std::uint32_t> exact = exact_bits(product);
    for (Index i = 0; i < std::ssize(exact); ++i) {
      const Index row = i / product.got.cols, col = i % product.got.cols;
      if (!evidence.wrong[static_cast<std::size_t>(evidence.element(expert, row, col))]) continue;
      const oracle::Format format = product.got.format;
      const double value = oracle::to_double(format, exact[static_cast<std::size_t>(i)]);
      const double got = oracle::to_double(format, product.got.bits(row, col));
      if (!(std::abs(value) > largest) || !std::isfinite(got) || got == 0) continue;
      largest = std::abs(value);
      factor = got / value;
    }
  }
  if (factor == 1) return std::nullopt;
  return factor;
}

}  // namespace

// Right when got is the exact result times one factor, up to a unit in the last place.
void propose_scaled(const Evidence& evidence, std::vector<Claim>& claims) {
  const std::optional<double> factor = factor_of(evidence);
  if (!factor || evidence.wrong_count < 2) return;
  const oracle::Format format = evidence.product(0).got.format;
  claims.push_back({.key = "",
                    .sentence = fmt::format("results are multiplied by {:.6g}", *factor),
                    .parts = changed_bits(evidence, [&](std::uint32_t exact, std::uint32_t got) {
                      const double value = oracle::to_double(format, exact);
                      const std::uint32_t scaled = oracle::round_nearest(format, value * *factor);
                      return scaled + 1 == got || got + 1 == scaled ? got : scaled;
                    })});
}

void propose_lost_special_values(const Evidence& evidence, std::vector<Claim>& claims) {
  const oracle::Format format = evidence.product(0).got.format;
  claims.push_back({.key = "",
                    .sentence = "NaN is replaced by zero",
                    .parts = changed_bits(evidence, [&](std::uint32_t exact, std::uint32_t) {
                      return std::isnan(oracle::to_double(format, exact)) ? 0 : exact;
                    })});
}

// Of an exact fill the sum fits into fp32: its exact bits are known.
void propose_ties_away(const Evidence& evidence, std::vector<Claim>& claims) {
  const oracle::Format format = evidence.product(0).got.format;
  if (!evidence.is_exact_fill() || oracle::shape(format).size_bytes != 2) return;
  Claim claim{.key = "", .sentence = "ties are rounded away from zero instead of to even"};
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kBits);
    oracle::Product wide = part.product;
    wide.got.format = oracle::Format::kFp32;
    wide.got.data = nullptr;
    for (const std::uint32_t bits : exact_bits(wide)) {
      const double value = oracle::to_double(oracle::Format::kFp32, bits);
      const std::uint32_t below = oracle::round_toward_zero(format, value);
      const double down = oracle::to_double(format, below);
      const double up = oracle::to_double(format, below + 1);
      const bool away = value != down && !(std::abs(value - down) < std::abs(up - value));
      part.bits.push_back(away ? below + 1 : below);
    }
    claim.parts.push_back(std::move(part));
  }
  claims.push_back(std::move(claim));
}

void propose_one_ulp_off(const Evidence& evidence, std::vector<Claim>& claims) {
  claims.push_back({.key = "",
                    .sentence = "elements are one unit in the last place off",
                    .parts = changed_bits(evidence, [](std::uint32_t exact, std::uint32_t got) {
                      return exact + 1 == got || got + 1 == exact ? got : exact;
                    })});
}

}  // namespace assay
