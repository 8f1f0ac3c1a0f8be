// The right rows with the wrong weights.
#include <utility>

#include <fmt/format.h>

#include "src/diagnosis/hypotheses/operands.h"
#include "src/diagnosis/hypotheses/table.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

// Of an index past the last expert there is nothing to foretell.
Claim weights_of(const Evidence& evidence, const std::string& key, const std::string& sentence,
                 Index (*source)(Index expert)) {
  return {.key = key,
          .sentence = sentence,
          .parts = changed_products(evidence, [&](oracle::Product& product, Index expert) {
            const Index from = source(expert);
            if (from < 0 || from >= evidence.experts()) { return false; }
            product.b = evidence.product(from).b;
            return true;
          })};
}

}  // namespace

void propose_expert_zero(const Evidence& evidence, std::vector<Claim>& claims) {
  if (reduces_over_rows(evidence) || evidence.experts() < 2) { return; }
  claims.push_back(weights_of(evidence, "0",
                              "every expert's rows are multiplied by the weights of expert 0",
                              [](Index) { return Index{0}; }));
}

void propose_neighbour_weights(const Evidence& evidence, std::vector<Claim>& claims) {
  if (reduces_over_rows(evidence)) { return; }
  claims.push_back(weights_of(evidence, "+1",
                              "rows are multiplied by the weights of the next expert",
                              [](Index expert) { return expert + 1; }));
  claims.push_back(weights_of(evidence, "-1",
                              "rows are multiplied by the weights of the expert before",
                              [](Index expert) { return expert - 1; }));
}

// w_ptrs is not read: the matrix in place g of w is taken for expert g's.
void propose_ignored_weight_pointers(const Evidence& evidence, std::vector<Claim>& claims) {
  const std::vector<Index> places = weight_places(evidence.problem.spec);
  std::vector<Index> holders(places.size(), -1);
  for (std::size_t expert = 0; expert < places.size(); ++expert) {
    holders[places[expert]] = static_cast<Index>(expert);
  }
  const bool gradient = reduces_over_rows(evidence);
  claims.push_back(
      {.key = "",
       .sentence = gradient ? "each dW lies where its expert's number says, not its pointer"
                            : "weights are taken by the expert's number, not by its pointer",
       .parts = changed_products(evidence, [&](oracle::Product& product, Index expert) {
         const Index from = gradient ? places[expert] : holders[expert];
         if (from < 0) { return false; }
         if (gradient) { product.a = evidence.product(from).a; }
         product.b = evidence.product(from).b;
         return true;
       })});
}

void propose_neighbour_gradient(const Evidence& evidence, std::vector<Claim>& claims) {
  if (!reduces_over_rows(evidence)) { return; }
  for (const Index shift : {1, -1}) {
    claims.push_back(
        {.key = fmt::format("{:+}", shift),
         .sentence = fmt::format("each dW holds the gradient of the {}",
                                 shift > 0 ? "next expert" : "expert before"),
         .parts = changed_products(evidence, [&](oracle::Product& product, Index expert) {
           const Index from = expert + shift;
           if (from < 0 || from >= evidence.experts()) { return false; }
           product.a = evidence.product(from).a;
           product.b = evidence.product(from).b;
           return true;
         })});
  }
}

namespace {

// dW stored as [k, n] where [n, k] is asked, or the other way round: the same memory holds other
// elements.
std::vector<ClaimedPart> transposed_gradients(const Evidence& evidence) {
  std::vector<ClaimedPart> parts;
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kBits);
    const bool k_is_contiguous = evidence.product(expert).got.row_stride == 1;
    for (Index row = 0; row < part.rows; ++row) {
      for (Index col = 0; col < part.cols; ++col) {
        const Index at = k_is_contiguous ? col * part.rows + row : row * part.cols + col;
        const Index other_row = k_is_contiguous ? at / part.cols : at % part.rows;
        const Index other_col = k_is_contiguous ? at % part.cols : at / part.rows;
        part.bits.push_back(evidence.exact_bits[evidence.element(expert, other_row, other_col)]);
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

void propose_transposed_weights(const Evidence& evidence, std::vector<Claim>& claims) {
  if (reduces_over_rows(evidence)) {
    if (evidence.is_exact_fill()) {
      claims.push_back({.key = "gradient",
                        .sentence = "the gradient is written in the other layout (enk for ekn, or "
                                    "the other way round)",
                        .parts = transposed_gradients(evidence)});
    }
    return;
  }
  claims.push_back(
      {.key = "",
       .sentence = "the weights are read in the other layout (enk for ekn, or the other way round)",
       .parts = changed_products(evidence, [&](oracle::Product& product, Index) {
         oracle::Matrix& w = product.b;
         if (w.row_stride == 1) {
           w.row_stride = w.cols;
           w.col_stride = 1;
         } else {
           w.row_stride = 1;
           w.col_stride = w.rows;
         }
         return true;
       })});
}

}  // namespace assay
