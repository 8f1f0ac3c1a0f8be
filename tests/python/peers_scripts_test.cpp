// The scripts that judge other projects' kernels, as far as they need no GPU.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "src/core/text.h"

namespace assay {
namespace {

TEST(PeersScripts, HoldTheirOwnArithmeticAndPages) {
  const std::string script = ASSAY_SOURCE_DIR "/tests/python/peers_scripts.py";
  const std::string command =
      std::string("PYTHONDONTWRITEBYTECODE=1 ") + ASSAY_TEST_PYTHON + " " + shell_word(script);
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace assay
