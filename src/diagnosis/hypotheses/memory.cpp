// What stands in the output is not a product at all, or not of the operands alone.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "src/diagnosis/hypotheses/fits.h"
#include "src/diagnosis/hypotheses/operands.h"
#include "src/diagnosis/hypotheses/table.h"

namespace assay {
namespace {

// What the unwritten elements have in common: whole experts, whole rows or columns, or neither.
std::string_view pattern_of_unwritten(const Evidence& evidence) {
  bool experts = true, rows = true, columns = true;
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    const oracle::Matrix& got = evidence.product(expert).got;
    const auto unwritten = [&](Index row, Index col) {
      return evidence.unwritten[evidence.element(expert, row, col)] != 0;
    };
    for (Index row = 0; row < got.rows; ++row) {
      for (Index col = 0; col < got.cols; ++col) {
        experts = experts && unwritten(row, col) == unwritten(0, 0);
        rows = rows && unwritten(row, col) == unwritten(row, 0);
        columns = columns && unwritten(row, col) == unwritten(0, col);
      }
    }
  }
  if (experts && evidence.experts() == 1) { return "nothing of the output is written"; }
  if (experts) { return "whole experts are skipped: their output is never written"; }
  if (columns) { return "some columns of the output are never written"; }
  if (rows) { return "some rows of the output are never written"; }
  return "some elements of the output are never written";
}

bool all_rowless(const Evidence& evidence) {
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    if (reduction(evidence, expert) == 0) { continue; }
    const oracle::Matrix& got = evidence.product(expert).got;
    for (Index row = 0; row < got.rows; ++row) {
      for (Index col = 0; col < got.cols; ++col) {
        if (evidence.unwritten[evidence.element(expert, row, col)]) { return false; }
      }
    }
  }
  return true;
}

bool has_special(const oracle::Matrix& matrix) {
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      if (!std::isfinite(oracle::to_double(matrix.format, matrix.bits(row, col)))) { return true; }
    }
  }
  return false;
}

}  // namespace

void propose_never_written(const Evidence& evidence, std::vector<Claim>& claims) {
  if (std::find(evidence.unwritten.begin(), evidence.unwritten.end(), 1) ==
      evidence.unwritten.end()) {
    return;
  }
  const bool empty_gradients = reduces_over_rows(evidence) && all_rowless(evidence);
  const std::string sentence = empty_gradients
                                   ? "the gradient of an expert without rows is never written"
                                   : std::string(pattern_of_unwritten(evidence));
  claims.push_back(
      {.key = "",
       .sentence = sentence,
       .parts = elements_where(evidence, ClaimedPart::Kind::kUnwritten,
                               [&](Index expert, Index row, Index col) {
                                 return evidence.unwritten[evidence.element(expert, row, col)] != 0;
                               })});
}

namespace {

void claim_cleared(const Evidence& evidence, const std::vector<std::uint8_t>& cleared,
                   const char* sentence, std::vector<Claim>& claims) {
  if (cleared.empty()) { return; }
  Claim claim{.key = "", .sentence = sentence};
  claim.parts =
      elements_where(evidence, ClaimedPart::Kind::kWrong, [&](Index expert, Index row, Index col) {
        return cleared[evidence.element(expert, row, col)] != 0;
      });
  if (!claim.parts.empty()) { claims.push_back(std::move(claim)); }
}

}  // namespace

void propose_old_output_read(const Evidence& evidence, std::vector<Claim>& claims) {
  claim_cleared(
      evidence, evidence.cleared_by_output,
      "the old output is read, as 0 times it is NaN where it is NaN: right where it holds "
      "zeros before the call",
      claims);
}

void propose_workspace_read(const Evidence& evidence, std::vector<Claim>& claims) {
  claim_cleared(evidence, evidence.cleared_by_workspace,
                "the workspace is read before it is written: right where it holds zeros before the "
                "call",
                claims);
}

void propose_zeros_left(const Evidence& evidence, std::vector<Claim>& claims) {
  Claim claim{.key = "", .sentence = "zeros stand where products should: cleared, never computed"};
  claim.parts =
      elements_where(evidence, ClaimedPart::Kind::kBits, [&](Index expert, Index row, Index col) {
        return evidence.product(expert).got.bits(row, col) == 0;
      });
  for (ClaimedPart& part : claim.parts) { part.bits = {0}; }
  claims.push_back(std::move(claim));
}

void propose_neighbour_special(const Evidence& evidence, std::vector<Claim>& claims) {
  if (!has_special_values(evidence.problem.spec.fill)) { return; }
  std::vector<bool> special;
  for (const oracle::Product& product : evidence.products) {
    special.push_back(has_special(product.a) || has_special(product.b));
  }
  Claim claim{.key = "",
              .sentence =
                  "a neighbouring expert's NaN or infinity reaches elements that do not "
                  "depend on it"};
  const std::vector<Index>& rows = evidence.problem.spec.rows;
  std::vector<bool> leaking(rows.size());
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    const auto leaks = [&](Index other) {
      return other >= 0 && other < evidence.experts() &&
             rows[static_cast<std::size_t>(other)] > 0 && special[other];
    };
    const bool before = leaks(expert - 1), after = leaks(expert + 1);
    if (!before && !after) { continue; }
    leaking[static_cast<std::size_t>(expert)] = true;
  }
  claim.parts = elements_where(evidence, ClaimedPart::Kind::kTainted,
                               [&](Index expert, Index row, Index col) {
                                 return leaking[static_cast<std::size_t>(expert)] &&
                                        evidence.tainted[evidence.element(expert, row, col)];
                               });
  if (!claim.parts.empty()) { claims.push_back(std::move(claim)); }
}

void propose_outside_read(const Evidence& evidence, std::vector<Claim>& claims) {
  if (!has_signs_of_outside_memory(evidence)) { return; }
  claims.push_back(
      {.key = "",
       .sentence = evidence.problem.spec.in.scaled()
                       ? "the result depends on memory outside the operands, or on scales of "
                         "padding (their poison changes it)"
                       : "the result depends on memory outside the operands (their poison changes "
                         "it)",
       .parts = elements_where(evidence, ClaimedPart::Kind::kTainted,
                               [&](Index expert, Index row, Index col) {
                                 return evidence.tainted[evidence.element(expert, row, col)] != 0;
                               })});
}

void propose_index_overflow(const Evidence& evidence, std::vector<Claim>& claims) {
  constexpr Index kLimit = Index{1} << 31;
  const Problem& problem = evidence.problem;
  const CaseSpec& spec = problem.spec;
  const Index x_pitch = spec.k + spec.ld.x, y_pitch = spec.n + spec.ld.y;
  const bool enk = spec.weights == WeightsLayout::kEnk;
  const Index w_rows = enk ? spec.n : spec.k, w_cols = enk ? spec.k : spec.n;
  const Index w_pitch = w_rows * (w_cols + spec.ld.w) + spec.wpitch;
  const auto beyond = [&](Index expert, Index row, Index) {
    const Index physical = reduces_over_rows(evidence)
                               ? problem.layout.starts[expert] + problem.layout.counts[expert]
                               : problem.layout.starts[expert] + row + 1;
    return physical * std::max(x_pitch, y_pitch) > kLimit || (expert + 1) * w_pitch > kLimit;
  };
  if (!beyond(evidence.experts() - 1, evidence.product(evidence.experts() - 1).got.rows, 0)) {
    return;
  }
  claims.push_back({.key = "",
                    .sentence = "wrong are the elements beyond 2^31 elements of an operand: a "
                                "32-bit index overflows",
                    .parts = elements_where(evidence, ClaimedPart::Kind::kWrong, beyond)});
}

void propose_unordered(const Evidence& evidence, std::vector<Claim>& claims) {
  Claim claim{.key = "",
              .sentence =
                  "the same call gives other bits each time: a race, or sums in no fixed "
                  "order",
              .parts = elements_where(
                  evidence, ClaimedPart::Kind::kWrong, [&](Index expert, Index row, Index col) {
                    return evidence.unsteady[evidence.element(expert, row, col)] != 0;
                  })};
  if (!claim.parts.empty()) { claims.push_back(std::move(claim)); }
}

}  // namespace assay
