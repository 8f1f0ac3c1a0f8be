// A pitch taken to be the width rounded up to a multiple, whatever the call says.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "src/diagnosis/hypotheses/displaced.h"
#include "src/diagnosis/hypotheses/images.h"
#include "src/diagnosis/hypotheses/operands.h"
#include "src/diagnosis/hypotheses/table.h"
#include "src/harness/memory/operand_plan.h"

namespace assay {
namespace {

constexpr Index kPaddings[] = {4, 8, 16, 32, 64, 128};

// Each pitch that a padding gives and that is not the operand's own, once.
template <class Visit>
void for_each_pitch(const CaseSpec& spec, Role role, const Visit& visit) {
  Index before = 0;
  for (const Index padding : kPaddings) {
    const Index pitch = align_up(storage_cols(spec, role), padding);
    if (pitch == before || pitch == row_pitch(spec, role)) { continue; }
    before = pitch;
    visit(pitch, padding);
  }
}

Claim claim_of(Role role, const char* done, Index padding) {
  return {.key = fmt::format("{} {}", name(role), padding),
          .sentence = fmt::format("{} is {} as if its row stride were its width rounded up to a "
                                  "multiple of {}, not the one it has",
                                  name(role), done, padding)};
}

// Output rows one after another, each at its place under the wrong pitch.
void claim_output(const Evidence& evidence, std::vector<Claim>& claims) {
  const Problem& problem = evidence.problem;
  const Role role = output_role(problem.spec.pass);
  const auto at_pitch = [&](Index pitch) {
    return [&problem, pitch](Index expert, Index row, Index col) {
      return (problem.layout.starts[static_cast<std::size_t>(expert)] + row) * pitch + col;
    };
  };
  for_each_pitch(problem.spec, role, [&](Index pitch, Index padding) {
    Claim claim = claim_of(role, "written", padding);
    claim.parts =
        displaced_parts(evidence, at_pitch(row_pitch(problem.spec, role)), at_pitch(pitch));
    claims.push_back(std::move(claim));
  });
}

void claim_padded_rows(const Evidence& evidence, Role role, std::vector<Claim>& claims) {
  const Problem& problem = evidence.problem;
  const DenseOperand& operand = problem.operands[role];
  const Index rows = problem.layout.physical_rows;
  for_each_pitch(problem.spec, role, [&](Index pitch, Index padding) {
    const Places places{.rows = rows,
                        .cols = operand.cols,
                        .row_pitch = row_pitch(problem.spec, role),
                        .spare = rows * pitch};
    if (rows * (places.row_pitch + pitch) > kMaxImageElements) { return; }
    const auto image = std::make_shared<const Image>(image_of_rows(problem, role, places));
    Claim claim = claim_of(role, "read", padding);
    claim.parts = changed_products(evidence, [&](oracle::Product& product, Index expert) {
      const FactorRole& b = operation(problem.spec.pass).b;
      oracle::Matrix& matrix = b.role == role ? product.b : product.a;
      matrix.data = image->data() + problem.layout.starts[static_cast<std::size_t>(expert)] *
                                        pitch * size_bytes(operand.format);
      const bool rows_are_rows = !reduces_over_rows(evidence) || b.role == role;
      (rows_are_rows ? matrix.row_stride : matrix.col_stride) = pitch;
      return true;
    });
    // Not as memory that explains whatever is not finite: the values have to be right.
    for (ClaimedPart& part : claim.parts) { part.storage.push_back(image); }
    claims.push_back(std::move(claim));
  });
}

}  // namespace

void propose_padded_pitch(const Evidence& evidence, std::vector<Claim>& claims) {
  const Problem& problem = evidence.problem;
  if (!reduces_over_rows(evidence) && evidence.elements() <= kMostDisplaced) {
    claim_output(evidence, claims);
  }
  for (const Role role : {Role::kX, Role::kY}) {
    if (role != output_role(problem.spec.pass)) { claim_padded_rows(evidence, role, claims); }
  }
}

}  // namespace assay
