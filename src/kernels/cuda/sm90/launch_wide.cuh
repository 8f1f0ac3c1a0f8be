// The instantiations of wide_kernel for one element.
#pragma once

#include "src/kernels/cuda/sm90/launch_kernel.cuh"
#include "src/kernels/cuda/sm90/wide_kernel.cuh"

namespace assay {

template <class Element, class Out, WideProduct kProduct, int kStages, int kBuffers>
cudaError_t launch_wide_config(const LaunchPlan& plan, const WideArguments& args) {
  using Config = WideConfig<Element, Out, kProduct, kStages, kBuffers>;
  static std::atomic<std::uint64_t> allowed{0};
  return launch_kernel(wide_kernel<Config>, sizeof(WideShared<Config>), allowed, plan, args);
}

template <class Element, class Out>
cudaError_t launch_wide_rows(const LaunchPlan& plan, const WideArguments& args) {
  return plan.weights_transposed
             ? launch_wide_config<Element, Out, WideProduct::kRowsMnMajor, 4, 2>(plan, args)
             : launch_wide_config<Element, Out, WideProduct::kRowsKMajor, 4, 2>(plan, args);
}

template <class Element>
cudaError_t launch_wide(const LaunchPlan& plan, const WideArguments& args) {
  if (!plan.gradient) {
    return plan.fp32_out ? launch_wide_rows<Element, float>(plan, args)
                         : launch_wide_rows<Element, Element>(plan, args);
  }
  constexpr WideProduct kGradient = WideProduct::kWeightGradient;
  if (plan.fp32_out) { return launch_wide_config<Element, float, kGradient, 4, 2>(plan, args); }
  return plan.tactic == Sm90Tactic::kTall
             ? launch_wide_config<Element, Element, kGradient, 3, 4>(plan, args)
             : launch_wide_config<Element, Element, kGradient, 4, 2>(plan, args);
}

}  // namespace assay
