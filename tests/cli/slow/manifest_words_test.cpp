// A right kernel for each word of a manifest that asks or promises something passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_assay.h"

namespace assay {
namespace {

using testing::assay;
using testing::Said;

class ManifestWords : public ::testing::TestWithParam<const char*> {};

TEST_P(ManifestWords, ARightKernelPasses) {
  const std::string kernel =
      std::string(ASSAY_BINARY_DIR "/test_plugins/words/") + GetParam() + ".so";
  const Said said = assay({"certify", kernel, "--profile", "quick"});
  EXPECT_EQ(said.exit, 0) << said.out << said.err;
}

INSTANTIATE_TEST_SUITE_P(All, ManifestWords,
                         ::testing::Values("multiples_by_pass", "least_rows", "total_rows_multiple",
                                           "dense_strides", "row_multiple", "compiled_for",
                                           "workspace_formula", "default_tile", "flushed_operands",
                                           "flushed_fp16_outputs", "bf16_partials", "fp16_partials",
                                           "max_experts", "wide_offsets", "max_rows", "one_expert"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace assay
