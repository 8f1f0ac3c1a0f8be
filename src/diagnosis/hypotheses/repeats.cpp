// Sums that hold something twice: told on exact fills, where the sum is known whatever its order.
#include <algorithm>

#include <fmt/format.h>

#include "src/diagnosis/hypotheses/decoded.h"
#include "src/diagnosis/hypotheses/table.h"

namespace assay {
namespace {

constexpr Index kRepeatBlocks[] = {8, 16, 32, 64, 128, 256};

// One kBits part an expert, element by element from value(decoded, row, col, times).
template <class Value>
std::vector<ClaimedPart> computed(const Evidence& evidence, const std::vector<Decoded>& decoded,
                                  const Value& value) {
  std::vector<ClaimedPart> parts;
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kBits);
    const Decoded& from = decoded[expert];
    for (Index row = 0; row < from.m; ++row) {
      for (Index col = 0; col < from.n; ++col) {
        part.bits.push_back(oracle::round_nearest(
            part.product.got.format,
            from.initial(row, col) + value(from, row, col) * part.product.factor()));
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

// The sums of every element and those of the tiles before it, `step_rows` and `step_cols` apart.
double with_tiles_before(const std::vector<double>& sums, const Decoded& from, Index row, Index col,
                         Index step_rows, Index step_cols) {
  double sum = 0;
  while (row >= 0 && col >= 0) {
    sum += sums[row * from.n + col];
    row -= step_rows;
    col -= step_cols;
  }
  return sum;
}

}  // namespace

void propose_repeated_block(const Evidence& evidence, std::vector<Claim>& claims) {
  if (!evidence.is_exact_fill()) { return; }
  const std::vector<Decoded> decoded = decode_products(evidence);
  for (const Index block : kRepeatBlocks) {
    const bool fits = std::any_of(decoded.begin(), decoded.end(),
                                  [&](const Decoded& from) { return from.k > block; });
    if (!fits) { break; }
    claims.push_back(
        {.key = fmt::format("first {}", block),
         .sentence = fmt::format("the first {} products of the reduction are added twice", block),
         .parts = computed(evidence, decoded, [&](const Decoded& from, Index row, Index col) {
           return from.dot(row, col, 0, from.k) + from.dot(row, col, 0, std::min(block, from.k));
         })});
    claims.push_back(
        {.key = fmt::format("second {}", block),
         .sentence = fmt::format("the second block of {} products is added twice", block),
         .parts = computed(evidence, decoded, [&](const Decoded& from, Index row, Index col) {
           return from.dot(row, col, 0, from.k) +
                  from.dot(row, col, std::min(block, from.k), std::min(2 * block, from.k));
         })});
    claims.push_back(
        {.key = fmt::format("last {}", block),
         .sentence = fmt::format("the last block of {} products is added twice", block),
         .parts = computed(evidence, decoded, [&](const Decoded& from, Index row, Index col) {
           const Index last = std::max<Index>(from.k - 1, 0);
           return from.dot(row, col, 0, from.k) + from.dot(row, col, last / block * block, from.k);
         })});
  }
}

void propose_uncleared_sums(const Evidence& evidence, std::vector<Claim>& claims) {
  if (!evidence.is_exact_fill()) { return; }
  const std::vector<Decoded> decoded = decode_products(evidence);
  std::vector<std::vector<double>> sums;
  for (const Decoded& from : decoded) {
    sums.emplace_back();
    for (Index row = 0; row < from.m; ++row) {
      for (Index col = 0; col < from.n; ++col) {
        sums.back().push_back(from.dot(row, col, 0, from.k));
      }
    }
  }
  for (const Index block : kRepeatBlocks) {
    for (const bool down : {true, false}) {
      const auto longer = [&](const Decoded& from) { return (down ? from.m : from.n) > block; };
      if (std::none_of(decoded.begin(), decoded.end(), longer)) { continue; }
      const auto sum = [&](const Decoded& from, Index row, Index col) {
        const auto expert = static_cast<std::size_t>(&from - decoded.data());
        return with_tiles_before(sums[expert], from, row, col, down ? block : 0, down ? 0 : block);
      };
      claims.push_back({.key = fmt::format("{} {}", down ? "rows" : "columns", block),
                        .sentence = fmt::format(
                            "the accumulator is not cleared: the sums of the tiles before, {} "
                            "{} apart, stay in it",
                            block, down ? "rows" : "columns"),
                        .parts = computed(evidence, decoded, sum)});
    }
  }
}

}  // namespace assay
