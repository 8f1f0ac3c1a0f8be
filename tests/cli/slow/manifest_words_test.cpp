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
                         ::testing::Values("least_rows", "total_rows_multiple", "row_multiple",
                                           "flushed_operands", "flushed_fp16_outputs"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace assay
