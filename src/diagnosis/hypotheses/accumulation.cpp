// The product is right, but not what became of C.
#include <fmt/format.h>

#include "src/diagnosis/hypotheses/decoded.h"
#include "src/diagnosis/hypotheses/table.h"

namespace assay {

namespace {

Claim claim_added_twice(const Evidence& evidence) {
  Claim claim{.key = "twice", .sentence = "what C held before is counted twice"};
  const std::vector<Decoded> decoded = decode_products(evidence);
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kBits);
    const Decoded& from = decoded[static_cast<std::size_t>(expert)];
    for (Index row = 0; row < from.m; ++row) {
      for (Index col = 0; col < from.n; ++col) {
        double sum = from.initial(row, col);
        for (int call = 0; call < part.product.times; ++call) {
          sum = 2 * sum + from.dot(row, col, 0, from.k);
        }
        part.bits.push_back(oracle::round_nearest(part.product.got.format, sum));
      }
    }
    claim.parts.push_back(std::move(part));
  }
  return claim;
}

}  // namespace

void propose_lost_accumulation(const Evidence& evidence, std::vector<Claim>& claims) {
  const int times = evidence.problem.spec.acc;
  if (times == 0) { return; }
  claims.push_back({.key = "overwritten",
                    .sentence = "C is overwritten by the product instead of being added to",
                    .parts = changed_products(evidence, [](oracle::Product& product, Index) {
                      product.c = {};
                      product.times = 1;
                      return true;
                    })});
  Claim kept{.key = "kept", .sentence = "the product is never added, C stays as it was"};
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kBits);
    for (Index row = 0; row < part.rows; ++row) {
      for (Index col = 0; col < part.cols; ++col) {
        part.bits.push_back(part.product.c.bits(row, col));
      }
    }
    kept.parts.push_back(std::move(part));
  }
  claims.push_back(std::move(kept));
  if (evidence.is_exact_fill()) { claims.push_back(claim_added_twice(evidence)); }
  if (times > 1) {
    claims.push_back({.key = "once",
                      .sentence = fmt::format("{} calls added the product only once", times),
                      .parts = changed_products(evidence, [](oracle::Product& product, Index) {
                        product.times = 1;
                        return true;
                      })});
  }
}

void propose_repeated_product(const Evidence& evidence, std::vector<Claim>& claims) {
  claims.push_back(
      {.key = "",
       .sentence = "the product is added once more than it should (a tile computed twice)",
       .parts = changed_products(evidence, [](oracle::Product& product, Index) {
         // Of sums that nothing is added to: nothing is rounded in between.
         const bool overwrites = product.c.data == nullptr && product.times == 1;
         if (overwrites) {
           product.out_scale = static_cast<float>(2 * product.out_factor());
         } else {
           ++product.times;
         }
         return true;
       })});
}

}  // namespace assay
