// The instantiations of rows_kernel for one element.
#pragma once

#include "src/kernels/cuda/sm90/launch_kernel.cuh"
#include "src/kernels/cuda/sm90/rows_kernel.cuh"

namespace assay {

template <class Config>
cudaError_t launch_rows_config(const LaunchPlan& plan, const RowsArguments& args) {
  static std::atomic<std::uint64_t> allowed{0};
  return launch_kernel(rows_kernel<Config>, sizeof(RowsShared<Config>), allowed, plan, args);
}

template <class Element, class Out, bool kWeightsMnMajor>
cudaError_t launch_rows_height(const LaunchPlan& plan, const RowsArguments& args) {
  if (plan.tactic == Sm90Tactic::kFew) {
    return launch_rows_config<RowsConfig<Element, Out, kWeightsMnMajor, 64, 8>>(plan, args);
  }
  return launch_rows_config<RowsConfig<Element, Out, kWeightsMnMajor, 256, 4>>(plan, args);
}

template <class Element, class Out>
cudaError_t launch_rows_out(const LaunchPlan& plan, const RowsArguments& args) {
  return plan.weights_transposed ? launch_rows_height<Element, Out, true>(plan, args)
                                 : launch_rows_height<Element, Out, false>(plan, args);
}

}  // namespace assay
