#include "src/harness/npy.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include <gtest/gtest.h>

#include "src/harness/judge_case.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Npy : public testing::Test {
 protected:
  Npy() : folder_(fs::path(testing::TempDir()) / ("assay_npy_test_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
  }
  ~Npy() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(Npy, WritesWhatNumPyReads) {
  fs::create_directories(folder_);
  const std::uint16_t bits[] = {0x3f80, 0xc000, 0x7f80, 0x0001, 0x8000, 0x4049};
  const std::string file = folder_ / "a.npy";
  ASSERT_TRUE(write_npy(file, {2, 3}, Format::kBf16, reinterpret_cast<const std::byte*>(bits)));
  const std::string text = read_file(file);
  ASSERT_EQ(text.size(), 128U + 6 * 4);
  EXPECT_EQ(text.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(text[8] + 256 * text[9], 118);
  EXPECT_EQ(text.substr(10, 58), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3,),");
  EXPECT_EQ(text[127], '\n');
  for (int i = 0; i < 6; ++i) {
    std::uint32_t value = 0;
    std::memcpy(&value, text.data() + 128 + 4 * i, sizeof value);
    EXPECT_EQ(value, static_cast<std::uint32_t>(bits[i]) << 16);
  }
}

TEST_F(Npy, DumpsOperandsExpectedAndActual) {
  const Problem problem = problem_of("pass=wgrad out=fp32 acc=1 k=3 n=2 rows=2,1 seed=1");
  ASSERT_TRUE(dump_case(folder_, problem, problem.output().bits));
  for (const char* const name : {"x", "w", "y", "expected", "actual"}) {
    EXPECT_TRUE(fs::exists(folder_ / (std::string(name) + ".npy"))) << name;
  }
  EXPECT_NE(read_file(folder_ / "w.npy").find("(2, 2, 3,)"), std::string::npos);
  EXPECT_EQ(read_file(folder_ / "w.npy"), read_file(folder_ / "actual.npy"));
  EXPECT_NE(read_file(folder_ / "expected.npy"), read_file(folder_ / "actual.npy"));
  const std::vector<std::byte> exact = exact_output(problem);
  EXPECT_EQ(
      std::memcmp(read_file(folder_ / "expected.npy").data() + 128, exact.data(), exact.size()), 0);
}

TEST_F(Npy, LeavesAnOverwrittenOutputOut) {
  const Problem problem = problem_of("pass=fwd k=3 n=2 rows=2,1 seed=1");
  ASSERT_TRUE(dump_case(folder_, problem, {}));
  EXPECT_FALSE(fs::exists(folder_ / "y.npy"));
  EXPECT_FALSE(fs::exists(folder_ / "actual.npy"));
  EXPECT_TRUE(fs::exists(folder_ / "expected.npy"));
}

TEST_F(Npy, SaysWhatItCannotWrite) {
  const auto status = write_npy(folder_ / "missing" / "a.npy", {0}, Format::kBf16, nullptr);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("a.npy': No such file"), std::string::npos)
      << status.error().message;
}

}  // namespace
}  // namespace assay
