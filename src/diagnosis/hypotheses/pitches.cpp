// Operands read with strides that are not theirs: gaps between rows or experts taken for elements.
#include <memory>

#include <fmt/format.h>

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

void claim_weights(const Evidence& evidence, std::vector<Claim>& claims) {
  const Problem& problem = evidence.problem;
  const CaseSpec& spec = problem.spec;
  const Places places{.rows = storage_rows(spec),
                      .cols = storage_cols(spec, Role::kW),
                      .row_pitch = row_pitch(spec, Role::kW),
                      .expert_pitch = expert_pitch(spec)};
  if (places.expert_pitch == places.rows * places.cols) { return; }
  if (spec.experts() * places.expert_pitch > kMaxImageElements) { return; }
  const auto image = std::make_shared<const Image>(image_of_weights(problem, places));
  const Index expert_strides[] = {places.expert_pitch, places.rows * places.row_pitch,
                                  places.rows * places.cols};
  for (const bool rows_ignored : {false, true}) {
    for (int variant = 0; variant < 3; ++variant) {
      const Index row_stride = rows_ignored ? places.cols : places.row_pitch;
      const Index expert_stride = expert_strides[variant];
      if (row_stride == places.row_pitch && expert_stride == places.expert_pitch) { continue; }
      Claim claim{.key = fmt::format("w {} {}", rows_ignored, variant),
                  .sentence = fmt::format("the weights' {} is ignored: they are read as if dense",
                                          rows_ignored ? "row stride" : "pitch between experts")};
      claim.parts = changed_products(evidence, [&](oracle::Product& product, Index expert) {
        product.b.data =
            image->data() + expert * expert_stride * size_bytes(problem.operands.w.format);
        stored_row_stride(spec, product.b) = row_stride;
        return true;
      });
      for (ClaimedPart& part : claim.parts) { part.memory = image; }
      claims.push_back(std::move(claim));
    }
  }
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
}

}  // namespace assay
