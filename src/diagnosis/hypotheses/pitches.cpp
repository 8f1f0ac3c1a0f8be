// Operands read, or written, with strides that are not theirs: gaps between rows or experts taken
// for elements.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "src/diagnosis/hypotheses/displaced.h"
#include "src/diagnosis/hypotheses/images.h"
#include "src/diagnosis/hypotheses/operands.h"
#include "src/diagnosis/hypotheses/table.h"
#include "src/harness/memory/operand_plan.h"

namespace assay {
namespace {

bool by_weights(const Problem& problem) { return !reduces_rows(problem.spec.pass); }

// The stride from one stored row of the weights to the next, in b, which may have them transposed.
Index& stored_row_stride(const CaseSpec& spec, oracle::Matrix& b) {
  const bool rows_are_k =
      (spec.weights == WeightsLayout::kEkn) != operation(spec.pass).b.transposed;
  return rows_are_k ? b.row_stride : b.col_stride;
}

// Strides of the weights that a kernel may take for theirs: rows or experts as if they adjoined.
struct TakenStrides {
  Index row = 0, expert = 0;
  std::string key;
  std::string_view ignored;
};
std::vector<TakenStrides> taken_strides(const Places& places) {
  std::vector<TakenStrides> taken;
  const Index expert_strides[] = {places.expert_pitch, places.rows * places.row_pitch,
                                  places.rows * places.cols};
  for (const bool rows_ignored : {false, true}) {
    for (int variant = 0; variant < 3; ++variant) {
      const Index row = rows_ignored ? places.cols : places.row_pitch;
      const Index expert = expert_strides[variant];
      if (row == places.row_pitch && expert == places.expert_pitch) { continue; }
      taken.push_back({row, expert, fmt::format("w {} {}", rows_ignored, variant),
                       rows_ignored ? "row stride" : "pitch between experts"});
    }
  }
  return taken;
}

Places places_of_weights(const CaseSpec& spec) {
  return {.rows = storage_rows(spec),
          .cols = storage_cols(spec, Role::kW),
          .row_pitch = row_pitch(spec, Role::kW),
          .expert_pitch = expert_pitch(spec)};
}

void claim_weights(const Evidence& evidence, std::vector<Claim>& claims) {
  const Problem& problem = evidence.problem;
  const CaseSpec& spec = problem.spec;
  const Places places = places_of_weights(spec);
  if (places.expert_pitch == places.rows * places.cols) { return; }
  if (spec.experts() * places.expert_pitch > kMaxImageElements) { return; }
  const auto image = std::make_shared<const Image>(image_of_weights(problem, places));
  const std::vector<Index> of_expert = weight_places(spec);
  for (const TakenStrides& taken : taken_strides(places)) {
    Claim claim{.key = taken.key,
                .sentence = fmt::format("the weights' {} is ignored: they are read as if dense",
                                        taken.ignored)};
    claim.parts = changed_products(evidence, [&](oracle::Product& product, Index expert) {
      product.b.data =
          image->data() + of_expert[expert] * taken.expert * size_bytes(problem.operands.w.format);
      stored_row_stride(spec, product.b) = taken.row;
      return true;
    });
    for (ClaimedPart& part : claim.parts) { part.memory = image; }
    claims.push_back(std::move(claim));
  }
}

void claim_gradients(const Evidence& evidence, std::vector<Claim>& claims) {
  const CaseSpec& spec = evidence.problem.spec;
  const Places places = places_of_weights(spec);
  if (places.expert_pitch == places.rows * places.cols) { return; }
  const bool transposed = spec.weights == WeightsLayout::kEnk;
  const std::vector<Index> of_expert = weight_places(spec);
  const auto at = [&](Index row_stride, Index expert_stride) {
    return [=, &of_expert](Index expert, Index row, Index col) {
      return of_expert[expert] * expert_stride +
             (transposed ? col * row_stride + row : row * row_stride + col);
    };
  };
  for (const TakenStrides& taken : taken_strides(places)) {
    claims.push_back({.key = taken.key,
                      .sentence = fmt::format(
                          "the gradient's {} is ignored: it is written as if dense", taken.ignored),
                      .parts = displaced_parts(evidence, at(places.row_pitch, places.expert_pitch),
                                               at(taken.row, taken.expert))});
  }
}

// Outputs that have rows.
void claim_written_rows(const Evidence& evidence, std::vector<Claim>& claims) {
  const Problem& problem = evidence.problem;
  const Role role = output_role(problem.spec.pass);
  const Index pitch = row_pitch(problem.spec, role), width = problem.output().cols;
  if (pitch == width) { return; }
  const auto at = [&](Index stride) {
    return [&problem, stride](Index expert, Index row, Index col) {
      return (problem.layout.starts[static_cast<std::size_t>(expert)] + row) * stride + col;
    };
  };
  claims.push_back(
      {.key = std::string(name(role)),
       .sentence = fmt::format("the row stride of {} is ignored: its rows are written as if dense",
                               name(role)),
       .parts = displaced_parts(evidence, at(pitch), at(width))});
}

// An input that has rows.
void claim_rows(const Evidence& evidence, Role role, std::vector<Claim>& claims) {
  const Problem& problem = evidence.problem;
  const DenseOperand& operand = problem.operands[role];
  const Places places{.rows = problem.layout.physical_rows,
                      .cols = operand.cols,
                      .row_pitch = row_pitch(problem.spec, role)};
  if (places.row_pitch == places.cols || places.rows * places.row_pitch > kMaxImageElements) {
    return;
  }
  const auto image = std::make_shared<const Image>(image_of_rows(problem, role, places));
  Claim claim{.key = std::string(name(role)),
              .sentence = fmt::format(
                  "the row stride of {} is ignored: its rows are read as if dense", name(role))};
  claim.parts = changed_products(evidence, [&](oracle::Product& product, Index expert) {
    const Index start = problem.layout.starts[expert];
    const FactorRole& b = operation(problem.spec.pass).b;
    const bool second = b.role == role;
    oracle::Matrix& matrix = second ? product.b : product.a;
    matrix.data = image->data() + start * places.cols * size_bytes(operand.format);
    (by_weights(problem) || second ? matrix.row_stride : matrix.col_stride) = places.cols;
    return true;
  });
  for (ClaimedPart& part : claim.parts) { part.memory = image; }
  claims.push_back(std::move(claim));
}

}  // namespace

void propose_ignored_pitch(const Evidence& evidence, std::vector<Claim>& claims) {
  const CaseSpec& spec = evidence.problem.spec;
  if (by_weights(evidence.problem)) { claim_weights(evidence, claims); }
  for (const Role role : {Role::kX, Role::kY}) {
    if (role != output_role(spec.pass)) { claim_rows(evidence, role, claims); }
  }
  if (spec.acc > 0 || evidence.elements() > kMostDisplaced) { return; }
  reduces_rows(spec.pass) ? claim_gradients(evidence, claims)
                          : claim_written_rows(evidence, claims);
}

}  // namespace assay
