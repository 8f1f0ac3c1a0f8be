// Operands that all contestants share.
#include "src/bench/cuda/contestant.h"
#include "src/problem/rng.h"

namespace assay {
namespace {

constexpr std::uint64_t kOperandSeed = 1;

Index elements_of(const SampledProduct& product, Role role, Index rows) {
  switch (role) {
    case Role::kX:
      return rows * product.k;
    case Role::kY:
      return rows * product.n;
    case Role::kW:
      break;
  }
  return static_cast<Index>(product.rows.size()) * product.k * product.n;
}

}  // namespace

Index BenchOperands::output_elements() const {
  return elements_of(product, output_role(pass()), shape.total());
}

Result<BenchOperands> make_operands(cudaStream_t stream, const BenchCase& shape, Pass pass,
                                    Format format, WeightsLayout weights) {
  BenchOperands operands;
  operands.shape = shape;
  operands.format = format;
  operands.product = {.pass = pass,
                      .weights = weights,
                      .k = shape.k,
                      .n = shape.n,
                      .rows = shape.rows,
                      .starts = {}};
  Index start = 0;
  for (const Index rows : shape.rows) {
    operands.product.starts.push_back(start);
    start += rows;
  }
  for (const Role role : {Role::kX, Role::kW, Role::kY}) {
    if (role == output_role(pass)) { continue; }
    const Index count = elements_of(operands.product, role, shape.total());
    auto memory = allocate(count * size_bytes(format));
    ASSAY_TRY(memory);
    const std::uint64_t state = child_state(kOperandSeed, static_cast<std::uint64_t>(role));
    ASSAY_CUDA_TRY(launch_random(stream, memory->get(), count, state, format == Format::kBf16));
    operands.data[role] = std::move(*memory);
  }
  return operands;
}

}  // namespace assay
