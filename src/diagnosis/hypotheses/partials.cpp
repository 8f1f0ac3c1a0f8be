// Sums kept in too few bits: told bit for bit on exact fills, where every fp32 order gives the
// same.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "oracle/model/model.h"
#include "src/diagnosis/hypotheses/decoded.h"
#include "src/diagnosis/hypotheses/table.h"

namespace assay {
namespace {

constexpr Index kIntervals[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};

double narrowed(oracle::Format format, double value) {
  return oracle::to_double(format, oracle::round_nearest(format, value));
}

struct Narrowing {
  oracle::Format format = oracle::Format::kBf16;
  Index interval = 1;  // products between roundings
  bool running =
      false;  // the running sum is rounded; else each interval's sum, which fp32 then adds
};

double narrow_dot(const double* a, const double* b, Index k, const Narrowing& narrowing) {
  double sum = 0;
  for (Index first = 0; first < k; first += narrowing.interval) {
    double part = 0;
    const Index last = std::min(k, first + narrowing.interval);
    for (Index i = first; i < last; ++i) { part += a[i] * b[i]; }
    sum = narrowing.running ? narrowed(narrowing.format, sum + part)
                            : sum + narrowed(narrowing.format, part);
  }
  return sum;
}

Claim narrow_claim(const Evidence& evidence, const std::vector<Decoded>& decoded,
                   const Narrowing& narrowing) {
  const std::string_view format = oracle::name(narrowing.format);
  Claim claim;
  claim.key = fmt::format("{} {} {}", narrowing.running ? "running" : "partial", format,
                          narrowing.interval);
  claim.sentence =
      narrowing.running
          ? fmt::format("the running sum is kept in {}, rounded every {} products", format,
                        narrowing.interval)
          : fmt::format("partial sums of {} products are kept in {}", narrowing.interval, format);
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kBits);
    const Decoded& from = decoded[expert];
    for (Index row = 0; row < from.m; ++row) {
      for (Index col = 0; col < from.n; ++col) {
        const double dot = narrow_dot(from.a.data() + row * from.k, from.b.data() + col * from.k,
                                      from.k, narrowing);
        const double value = from.c[row * from.n + col] + dot * part.product.factor();
        part.bits.push_back(oracle::round_nearest(part.product.got.format, value));
      }
    }
    claim.parts.push_back(std::move(part));
  }
  return claim;
}

}  // namespace

void propose_narrow_partials(const Evidence& evidence, std::vector<Claim>& claims) {
  if (!evidence.is_exact_fill()) { return; }
  const std::vector<Decoded> decoded = decode_products(evidence);
  Index longest = 0;
  for (const Decoded& product : decoded) { longest = std::max(longest, product.k); }
  for (const oracle::Format format : {oracle::Format::kBf16, oracle::Format::kFp16}) {
    for (const bool running : {false, true}) {
      for (const Index interval : kIntervals) {
        if (interval >= 2 * longest || (interval == 1 && !running)) { continue; }
        claims.push_back(narrow_claim(evidence, decoded, {format, interval, running}));
      }
    }
  }
}

namespace {

double truncated(double value, int bits) {
  int exponent = 0;
  const double significand = std::frexp(value, &exponent);
  return std::ldexp(std::trunc(std::ldexp(significand, bits)), exponent - bits);
}

// The running sum, cut to `bits` every `interval` products.
Claim cut_claim(const Evidence& evidence, const std::vector<Decoded>& decoded, int bits,
                Index interval) {
  Claim claim;
  claim.key = fmt::format("cut {} {}", bits, interval);
  claim.sentence =
      fmt::format("the accumulator keeps {} bits, cut every {} products", bits, interval);
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kBits);
    const Decoded& from = decoded[expert];
    for (Index row = 0; row < from.m; ++row) {
      for (Index col = 0; col < from.n; ++col) {
        double sum = 0;
        for (Index first = 0; first < from.k; first += interval) {
          sum =
              truncated(sum + from.dot(row, col, first, std::min(from.k, first + interval)), bits);
        }
        part.bits.push_back(oracle::round_nearest(
            part.product.got.format, from.initial(row, col) + sum * part.product.factor()));
      }
    }
    claim.parts.push_back(std::move(part));
  }
  return claim;
}

}  // namespace

// A step of L products truncated to F bits, as fp8 tensor cores keep 13.
void propose_narrow_accumulator(const Evidence& evidence, std::vector<Claim>& claims) {
  if (!evidence.is_exact_fill()) { return; }
  const std::vector<Decoded> decoded = decode_products(evidence);
  for (const int bits : {11, 14, 15}) {
    for (const Index interval : kIntervals) {
      claims.push_back(cut_claim(evidence, decoded, bits, interval));
    }
  }
  for (const int bits : {10, 13, 14}) {
    for (const int products : {1, 16, 32}) {
      const oracle::Arithmetic arithmetic{.kind = oracle::Arithmetic::Kind::kStep,
                                          .products_per_step = products,
                                          .fraction_bits = bits,
                                          .out_bits = bits,
                                          .ascending = true,
                                          .scaling = oracle::Scaling::kSums,
                                          .bias_added = oracle::BiasAdded::kLast};
      Claim claim{.key = fmt::format("{} {}", bits, products),
                  .sentence = fmt::format("the accumulator keeps {} fraction bits, truncated every "
                                          "{} products",
                                          bits, products)};
      for (Index expert = 0; expert < evidence.experts(); ++expert) {
        ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kBits);
        const auto size = static_cast<std::size_t>(part.rows * part.cols);
        const Index element = oracle::shape(part.product.got.format).size_bytes;
        std::vector<std::byte> predicted(size * static_cast<std::size_t>(element));
        oracle::predict(part.product, arithmetic, predicted.data());
        for (std::size_t i = 0; i < size; ++i) {
          part.bits.push_back(oracle::load(part.product.got.format,
                                           predicted.data() + static_cast<Index>(i) * element));
        }
        claim.parts.push_back(std::move(part));
      }
      claims.push_back(std::move(claim));
    }
  }
}

}  // namespace assay
