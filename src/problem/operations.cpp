#include <iterator>

#include "src/core/require.h"
#include "src/problem/operation.h"

namespace assay {
namespace {

// In the order of Pass.
constexpr Operation kOperations[] = {
    {.name = "fwd", .a = {Role::kX}, .b = {Role::kW}, .output = Role::kY, .adds_bias = true},
    {.name = "dgrad", .a = {Role::kY}, .b = {Role::kW, true}, .output = Role::kX},
    {.name = "wgrad",
     .a = {Role::kX, true},
     .b = {Role::kY},
     .output = Role::kW,
     .accumulates = true},
};
static_assert(std::size(kOperations) == std::size(kAllPasses));

template <class Holds>
std::vector<Pass> passes_where(Holds holds) {
  std::vector<Pass> passes;
  for (const Pass pass : kAllPasses) {
    if (holds(operation(pass))) { passes.push_back(pass); }
  }
  return passes;
}

}  // namespace

const Operation& operation(Pass pass) {
  const auto index = static_cast<std::size_t>(pass);
  ASSAY_REQUIRE(index < std::size(kOperations), index);
  return kOperations[index];
}

std::vector<Pass> passes_that_reduce_rows() {
  return passes_where([](const Operation& op) { return op.reduces_rows(); });
}

std::vector<Pass> passes_with_output_rows() {
  return passes_where([](const Operation& op) { return !op.reduces_rows(); });
}

std::vector<Pass> passes_that_accumulate() {
  return passes_where([](const Operation& op) { return op.accumulates; });
}

}  // namespace assay
