// The right operands, but not all of the reduction, or more than it.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "src/diagnosis/hypotheses/operands.h"
#include "src/diagnosis/hypotheses/table.h"

namespace assay {
namespace {

constexpr Index kBlocks[] = {2, 4, 8, 16, 32, 64, 128, 256};

Index rounded_up(Index value, Index block) { return (value + block - 1) / block * block; }

// One part an expert whose reduction becomes [first, last) of (length); equal ones claim that the
// result is right.
template <class Window>
void claim_window(const Evidence& evidence, std::vector<Claim>& claims, const std::string& key,
                  const std::string& sentence, const Window& window) {
  bool changes = false, sums_anything = false;
  Claim claim{.key = key, .sentence = sentence};
  claim.parts = changed_products(evidence, [&](oracle::Product& product, Index expert) {
    const Index length = reduction(evidence, expert);
    const auto [first, last] = window(length);
    sums_anything = sums_anything || last > first;
    if (length == 0 || (first == 0 && last == length)) { return true; }
    changes = true;
    return set_reduction(evidence.problem, product, first, last - first);
  });
  // Zeros everywhere tell nothing about a reduction.
  if (changes && sums_anything) { claims.push_back(std::move(claim)); }
}

std::string over(const Evidence& evidence) {
  return reduces_over_rows(evidence) ? "an expert's rows" : "K";
}

// Wrong elements that a cut of the reduction is looked for in.
constexpr std::size_t kElementsAsked = 8;

struct WrongElement {
  Index expert = 0, row = 0, col = 0;
};

std::vector<WrongElement> some_wrong_elements(const Evidence& evidence) {
  std::vector<WrongElement> found;
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    for (Index row = 0; row < evidence.product(expert).got.rows; ++row) {
      for (Index col = 0; col < evidence.product(expert).got.cols; ++col) {
        const auto element = static_cast<std::size_t>(evidence.element(expert, row, col));
        if (evidence.wrong[element] && found.size() < kElementsAsked) {
          found.push_back({expert, row, col});
        }
      }
    }
  }
  return found;
}

// The length of the prefix (or the start of the suffix) whose sums come nearest to what stands
// there.
Index nearest_cut(const Evidence& evidence, bool prefix) {
  const Index length = reduction(evidence, 0);
  std::vector<double> distance(static_cast<std::size_t>(length), 0);
  for (const WrongElement& wrong : some_wrong_elements(evidence)) {
    const oracle::Product& product = evidence.product(wrong.expert);
    const auto value = [](const oracle::Matrix& matrix, Index row, Index col) {
      return oracle::to_double(matrix.format, matrix.bits(row, col));
    };
    const double got = value(product.got, wrong.row, wrong.col);
    double sum = 0;
    for (Index step = 0; step < length; ++step) {
      const Index k = prefix ? step : length - step;
      if (step > 0) {
        const Index added = prefix ? k - 1 : k;
        sum += value(product.a, wrong.row, added) * value(product.b, added, wrong.col);
      }
      distance[prefix ? k : k % length] += std::fabs(sum - got);
    }
  }
  const auto least = std::min_element(distance.begin(), distance.end());
  return static_cast<Index>(least - distance.begin());
}

// Where the reduction ends or begins at no block that is known by name: the end of a split.
void claim_nearest_cut(const Evidence& evidence, std::vector<Claim>& claims) {
  if (reduces_over_rows(evidence) || evidence.experts() == 0 || reduction(evidence, 0) < 2) {
    return;
  }
  const Index length = reduction(evidence, 0);
  const Index end = nearest_cut(evidence, true);
  if (end > 0) {
    claim_window(
        evidence, claims, "prefix",
        fmt::format("only the first {} of {} products of the reduction are summed", end, length),
        [&](Index) {
          return std::pair{Index{0}, end};
        });
  }
  const Index begin = nearest_cut(evidence, false);
  if (begin > 0) {
    claim_window(
        evidence, claims, "suffix",
        fmt::format("the first {} of {} products of the reduction are left out", begin, length),
        [&](Index) {
          return std::pair{begin, length};
        });
  }
}

}  // namespace

void propose_dropped_tail(const Evidence& evidence, std::vector<Claim>& claims) {
  for (const Index block : kBlocks) {
    claim_window(evidence, claims, fmt::format("tail {}", block),
                 fmt::format("the tail of the reduction is dropped: only whole blocks of {} of {} "
                             "are summed",
                             block, over(evidence)),
                 [&](Index length) {
                   return std::pair{Index{0}, length / block * block};
                 });
  }
  claim_window(evidence, claims, "last",
               fmt::format("the last product of the reduction over {} is dropped", over(evidence)),
               [](Index length) {
                 return std::pair{Index{0}, length - 1};
               });
  claim_window(evidence, claims, "first",
               fmt::format("the first product of the reduction over {} is dropped", over(evidence)),
               [](Index length) {
                 return std::pair{Index{1}, length};
               });
  claim_nearest_cut(evidence, claims);
}

void propose_one_block(const Evidence& evidence, std::vector<Claim>& claims) {
  for (const Index block : kBlocks) {
    claim_window(
        evidence, claims, fmt::format("last block {}", block),
        fmt::format("only the last block of {} products is kept: the sum starts afresh", block),
        [&](Index length) {
          return std::pair{(rounded_up(length, block) - block), length};
        });
    claim_window(evidence, claims, fmt::format("first block {}", block),
                 fmt::format("only the first block of {} products is summed", block),
                 [&](Index length) {
                   return std::pair{Index{0}, std::min(length, block)};
                 });
  }
}

void propose_read_past(const Evidence& evidence, std::vector<Claim>& claims) {
  for (const Index block : kBlocks) {
    claim_window(
        evidence, claims, fmt::format("past {}", block),
        fmt::format("the reduction runs on to a whole block of {}: {} is read past its end", block,
                    over(evidence)),
        [&](Index length) {
          return std::pair{Index{0}, rounded_up(length, block)};
        });
  }
}

namespace {

// Of an expert's rows, numbered from its first one: whether there is one in the buffer, and whether
// it is nobody's, as padding and tail are.
bool has_physical_row(const Evidence& evidence, Index expert, Index row) {
  const RowLayout& layout = evidence.problem.layout;
  const Index physical = layout.starts[static_cast<std::size_t>(expert)] + row;
  return physical >= 0 && physical < layout.physical_rows;
}

bool is_padding(const Evidence& evidence, Index expert, Index row) {
  const RowLayout& layout = evidence.problem.layout;
  const Index physical = layout.starts[static_cast<std::size_t>(expert)] + row;
  for (std::size_t other = 0; other < layout.starts.size(); ++other) {
    const Index from = layout.starts[other];
    if (physical >= from && physical < from + layout.counts[other]) { return false; }
  }
  return true;
}

}  // namespace

void propose_shifted_rows(const Evidence& evidence, std::vector<Claim>& claims) {
  for (const Index shift : {1, -1}) {
    Claim claim{.key = fmt::format("{:+}", shift)};
    if (reduces_over_rows(evidence)) {
      claim.sentence = fmt::format("dW sums the rows from one {} the expert's own",
                                   shift > 0 ? "after" : "before");
      claim.parts = changed_products(evidence, [&](oracle::Product& product, Index expert) {
        const Index length = reduction(evidence, expert);
        return length > 0 && set_reduction(evidence.problem, product, shift, length);
      });
    } else {
      claim.sentence =
          fmt::format("each row holds the result of the row {} it", shift > 0 ? "after" : "before");
      for (Index expert = 0; expert < evidence.experts(); ++expert) {
        for (Index row = 0; row < evidence.product(expert).got.rows; ++row) {
          ClaimedPart part = rows_part(evidence, expert, row, 1, ClaimedPart::Kind::kValue);
          part.product.a = moved(part.product.a, shift, 0);
          // What stands beside the last row of all is no operand, if it stands within the buffer.
          const bool inside = inside_operands(evidence.problem, part.product.a);
          if (!inside && !has_physical_row(evidence, expert, row + shift)) { continue; }
          if (!inside || is_padding(evidence, expert, row + shift)) {
            part.kind = ClaimedPart::Kind::kTainted;
          }
          claim.parts.push_back(std::move(part));
        }
      }
    }
    claims.push_back(std::move(claim));
  }
}

// Padding and tail rows hold poison: their products leave nothing finite.
void propose_contracted_tail(const Evidence& evidence, std::vector<Claim>& claims) {
  if (!reduces_over_rows(evidence)) { return; }
  for (const bool of_last : {false, true}) {
    Claim claim{.key = of_last ? "last" : "",
                .sentence = of_last ? "the rows behind the last expert's own are contracted into "
                                      "its dW"
                                    : "padding or tail rows behind an expert's own are contracted "
                                      "into its dW"};
    for (Index expert = of_last ? evidence.experts() - 1 : 0; expert < evidence.experts();
         ++expert) {
      const Index end = reduction(evidence, expert);
      const bool followed =
          has_physical_row(evidence, expert, end) && is_padding(evidence, expert, end);
      if (!followed) { continue; }
      claim.parts.push_back(whole_part(evidence, expert, ClaimedPart::Kind::kTainted));
    }
    if (!claim.parts.empty()) { claims.push_back(std::move(claim)); }
  }
}

}  // namespace assay
