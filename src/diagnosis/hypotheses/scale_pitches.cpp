// Scales that lie column by column, read as if they did not, or as if their columns had no gaps.
#include <fmt/format.h>

#include "src/diagnosis/hypotheses/table.h"
#include "src/harness/memory/scale_image.h"

namespace assay {
namespace {

using Image = std::shared_ptr<const std::vector<std::byte>>;

// Points an operand's grid at the image as the kernel is thought to read it.
bool read_by(const Evidence& evidence, oracle::Factor factor, bool by_rows, const Image& image,
             Index expert, oracle::Matrix& matrix) {
  const Problem& problem = evidence.problem;
  const auto [role, transposed] = role_of(problem.spec.pass, factor);
  const DenseScales& scales = problem.scales[role];
  if (role == Role::kW || !scales.present()) { return false; }
  const Index size = traits(scales.format).size_bytes;
  const Index first = first_scale(problem, role, expert) / size;
  const Index row_stride = by_rows ? scales.cols : 1;
  const Index col_stride = by_rows ? 1 : stored_scale_rows(problem, role);
  oracle::ScaleGrid& grid = matrix.scales;
  grid.data = image->data() + first * row_stride * size;
  grid.row_stride = transposed ? col_stride : row_stride;
  grid.col_stride = transposed ? row_stride : col_stride;
  return true;
}

void claim_reading(const Evidence& evidence, bool by_rows, std::vector<Claim>& claims) {
  PerOperand<Image> images;
  for (const Role role : {Role::kX, Role::kY}) {
    if (!evidence.problem.scales[role].present()) { continue; }
    images[role] =
        std::make_shared<const std::vector<std::byte>>(store_scales(evidence.problem, role, false));
  }
  Claim claim{.key = by_rows ? "by rows" : "no gaps",
              .sentence = by_rows ? "scales are read row by row, though they lie column by column"
                                  : "columns of scales are taken to be as far apart as they have "
                                    "rows (scale_pitch is ignored)"};
  claim.parts = changed_products(evidence, [&](oracle::Product& product, Index expert) {
    const auto image_of = [&](oracle::Factor factor) {
      return images[role_of(evidence.problem.spec.pass, factor).role];
    };
    using enum oracle::Factor;
    const bool a = read_by(evidence, kA, by_rows, image_of(kA), expert, product.a);
    const bool b = read_by(evidence, kB, by_rows, image_of(kB), expert, product.b);
    return a || b;
  });
  for (ClaimedPart& part : claim.parts) {
    for (const Role role : {Role::kX, Role::kY}) { part.storage.push_back(images[role]); }
  }
  if (!claim.parts.empty()) { claims.push_back(std::move(claim)); }
}

}  // namespace

void propose_ignored_scale_pitch(const Evidence& evidence, std::vector<Claim>& claims) {
  claim_reading(evidence, true, claims);
  claim_reading(evidence, false, claims);
}

}  // namespace assay
