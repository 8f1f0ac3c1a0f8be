// Sums of integers kept in too few bits.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "oracle/model/model.h"
#include "src/diagnosis/hypotheses/decoded.h"
#include "src/diagnosis/hypotheses/table.h"

namespace assay {
namespace {

double wrapped(double sum, int bits) {
  const double modulus = std::ldexp(1, bits);
  return sum - modulus * std::floor(sum / modulus + 0.5);
}
double saturated(double sum, int bits) {
  const double half = std::ldexp(1, bits - 1);
  return std::clamp(sum, -half, half - 1);
}

// How a careless kernel adds up: `keep` is asked after every `products` of them, and of their sum
// alone where the running one is wide.
struct Accumulator {
  const char* key;
  const char* sentence;
  double (*keep)(double sum);
  Index products = 1;
  bool running = true;
};
constexpr Accumulator kAccumulators[] = {
    {"exact",
     "products of integers are added exactly and rounded once, undeclared (\"integers\": "
     "\"int32\")",
     [](double sum) { return sum; }},
    {"wraps 16", "sums of integers wrap at 16 bits", [](double sum) { return wrapped(sum, 16); }},
    {"saturates 16", "sums of integers saturate at 16 bits",
     [](double sum) { return saturated(sum, 16); }},
    {"saturates 16 pairs",
     "each two products are added in 16 bits, which saturate (pmaddubsw and its like)",
     [](double sum) { return saturated(sum, 16); }, 2, false},
    {"wraps 24", "sums of integers wrap at 24 bits", [](double sum) { return wrapped(sum, 24); }},
    {"saturates 24", "sums of integers saturate at 24 bits",
     [](double sum) { return saturated(sum, 24); }},
    {"wraps 32", "sums of integers wrap at 32 bits", [](double sum) { return wrapped(sum, 32); }},
    {"fp32", "sums of integers are kept in fp32, which has 24 bits for them",
     [](double sum) { return static_cast<double>(static_cast<float>(sum)); }},
};

double sum_of(const Decoded& from, Index row, Index col, Index first, Index last,
              const Accumulator& accumulator) {
  double sum = 0;
  for (Index i = first; i < last; i += accumulator.products) {
    const double part = from.dot(row, col, i, std::min(last, i + accumulator.products));
    sum = accumulator.running ? accumulator.keep(sum + part) : sum + accumulator.keep(part);
  }
  return sum;
}

// The sums between borders of scales, each times both of them, or times one after the other.
double scaled_sum(const oracle::Product& product, const Decoded& from, Index row, Index col,
                  Index interval, const Accumulator& accumulator, bool one_by_one) {
  float total = 0;
  for (Index first = 0; first < from.k; first += interval) {
    const Index last = std::min(from.k, first + interval);
    const auto sum = static_cast<float>(sum_of(from, row, col, first, last, accumulator));
    const auto a = static_cast<float>(product.a.scales.value(row, first));
    const auto b = static_cast<float>(product.b.scales.value(first, col));
    total = one_by_one ? total + sum * a * b : std::fma(sum, a * b, total);
  }
  return total;
}

// The bits of each expert's outputs.
using Outputs = std::vector<std::vector<std::uint32_t>>;
Outputs outputs_of(const Evidence& evidence, const std::vector<Decoded>& decoded,
                   const Accumulator& accumulator, bool one_by_one) {
  Outputs outputs;
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    const oracle::Product& product = evidence.product(expert);
    const Decoded& from = decoded[expert];
    const Index interval = oracle::promoted_interval(product, {});
    std::vector<std::uint32_t>& bits = outputs.emplace_back();
    for (Index row = 0; row < from.m; ++row) {
      for (Index col = 0; col < from.n; ++col) {
        const double sum = scaled_sum(product, from, row, col, interval, accumulator, one_by_one);
        bits.push_back(oracle::round_nearest(product.got.format,
                                             from.initial(row, col) + sum * product.factor()));
      }
    }
  }
  return outputs;
}

// What an accumulator makes of the case, where it is too narrow for it.
void propose(const Evidence& evidence, const std::vector<Decoded>& decoded, bool one_by_one,
             std::vector<Claim>& claims) {
  Outputs exact;
  for (const Accumulator& accumulator : kAccumulators) {
    Outputs outputs = outputs_of(evidence, decoded, accumulator, one_by_one);
    if (outputs == exact) { continue; }
    if (exact.empty()) { exact = outputs; }
    Claim claim{.key = fmt::format("{}{}", accumulator.key, one_by_one ? " one by one" : ""),
                .sentence = accumulator.sentence};
    for (Index expert = 0; expert < evidence.experts(); ++expert) {
      ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kBits);
      part.bits = std::move(outputs[static_cast<std::size_t>(expert)]);
      claim.parts.push_back(std::move(part));
    }
    claims.push_back(std::move(claim));
  }
}

}  // namespace

void propose_narrow_integer_sums(const Evidence& evidence, std::vector<Claim>& claims) {
  const std::vector<Decoded> decoded = decode_products(evidence);
  propose(evidence, decoded, false, claims);
  if (evidence.problem.spec.in.scaled()) { propose(evidence, decoded, true, claims); }
}

}  // namespace assay
