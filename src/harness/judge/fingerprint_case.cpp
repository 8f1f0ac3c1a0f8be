#include "src/harness/judge/fingerprint_case.h"

#include <utility>

#include "src/harness/judge/judge_case.h"
#include "src/harness/memory/operand_plan.h"

namespace assay {

OperandMatrix operand_matrix(const Problem& problem, Index expert, oracle::Factor factor) {
  const CaseSpec& spec = problem.spec;
  if (spec.bias && factor == oracle::Factor::kC) {
    return {.area = Area::kBias,
            .format = to_oracle(*spec.bias),
            .first = expert * spec.n,
            .rows = spec.rows[expert],
            .cols = spec.n,
            .row_stride = 0};
  }
  const FactorRole place = role_of(spec.pass, factor);
  const Index pitch = row_pitch(spec, place.role);
  OperandMatrix matrix{.area = area_of(place.role),
                       .initial = factor == oracle::Factor::kC ? 1 : 0,
                       .format = to_oracle(problem.operands[place.role].format)};
  if (place.role == Role::kW) {
    const bool enk = spec.weights == WeightsLayout::kEnk;
    const bool in_order = spec.pointers == Pointers::kInOrder;
    matrix.first = (in_order ? expert : weight_places(spec)[expert]) * expert_pitch(spec);
    matrix.rows = spec.k;
    matrix.cols = spec.n;
    matrix.row_stride = enk ? 1 : pitch;
    matrix.col_stride = enk ? pitch : 1;
  } else {
    matrix.first = problem.layout.starts[expert] * pitch;
    matrix.rows = spec.rows[expert];
    matrix.cols = problem.operands[place.role].cols;
    matrix.row_stride = pitch;
  }
  if (place.transposed) {
    std::swap(matrix.rows, matrix.cols);
    std::swap(matrix.row_stride, matrix.col_stride);
  }
  return matrix;
}

CaseFingerprint check_fingerprint(Session& session, const Problem& problem, const Outcome& outcome,
                                  const CaseFingerprintOptions& options) {
  oracle::FingerprintOptions how{.seed = options.seed, .threads = options.threads};
  MultiplyError lost{.status = RunStatus::kOk};
  if (session.device().devices > 0) {
    how.multiply = [&](Index expert, oracle::Factor factor, const oracle::IntegerForm& form,
                       std::span<const oracle::Residue> vector) -> Result<oracle::IntegerProduct> {
      auto product = session.multiply(operand_matrix(problem, expert, factor), form, vector);
      if (product) { return std::move(*product); }
      const bool kernels = product.error().status == RunStatus::kCrashed ||
                           product.error().status == RunStatus::kHung;
      if (kernels && lost.status == RunStatus::kOk) { lost = product.error(); }
      return make_error(product.error().message);
    };
  }
  CaseFingerprint result{
      oracle::check_fingerprint(products_of(problem, outcome.output.data()), how)};
  session.release_operands();
  result.status = lost.status;
  if (lost.status != RunStatus::kOk) {
    result.message = "after its call had returned: " + lost.message;
  }
  return result;
}

}  // namespace assay
