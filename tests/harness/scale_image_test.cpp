// Scales in memory: each where its strides say, and nothing but NaN between them.
#include "src/harness/memory/scale_image.h"

#include <cstring>

#include <gtest/gtest.h>

#include "src/problem/case_text.h"

namespace assay {
namespace {

std::uint32_t code_at(const std::vector<std::byte>& image, ScaleFormat format, Index at) {
  const Index size = traits(format).size_bytes;
  std::uint32_t code = 0;
  std::memcpy(&code, image.data() + at * size, static_cast<std::size_t>(size));
  return code;
}

class ScaleImage : public ::testing::TestWithParam<const char*> {};

TEST_P(ScaleImage, HasEveryScaleWhereItsStridesSay) {
  const auto spec = parse_case(GetParam());
  ASSERT_TRUE(spec) << spec.error().message;
  const Problem problem = make_problem(*spec);
  Index gaps = 0;
  for (const Role role : {Role::kX, Role::kY}) {
    const DenseScales& scales = problem.scales[role];
    if (!scales.present()) { continue; }
    const std::vector<std::byte> image = store_scales(problem, role, false);
    const Index size = traits(scales.format).size_bytes;
    const ScaleStrides strides =
        scale_strides(*spec, role, stored_scale_rows(problem, role), scales.cols);
    ASSERT_EQ(std::ssize(image), strides.extent * size);
    std::vector<bool> owned(static_cast<std::size_t>(strides.extent));
    for (Index expert = 0; expert < spec->experts(); ++expert) {
      const Index first = first_scale(problem, role, expert) / size;
      const Index rows = scales.first[expert + 1] - scales.first[expert];
      for (Index row = 0; row < rows; ++row) {
        for (Index col = 0; col < scales.cols; ++col) {
          const Index at = first + row * strides.row + col * strides.col;
          owned[static_cast<std::size_t>(at)] = true;
          EXPECT_EQ(code_at(image, scales.format, at),
                    scales.load(scales.first[expert] + row, col));
        }
      }
    }
    for (Index at = 0; at < strides.extent; ++at) {
      if (owned[static_cast<std::size_t>(at)]) { continue; }
      ++gaps;
      EXPECT_EQ(code_at(image, scales.format, at), traits(scales.format).nan);
    }
  }
  EXPECT_EQ(gaps > 0, spec->pad > 1 || spec->scale_pitch > 1);
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, ScaleImage,
    ::testing::Values("pass=fwd in=e4m3/block128 out=bf16 k=300 n=8 rows=3,0,2",
                      "pass=fwd in=e4m3/block128 out=bf16 k=300 n=8 rows=3,0,2 scale_pitch=4",
                      "pass=fwd in=e4m3/mx out=bf16 k=70 n=8 rows=3,0,4 pad=8 "
                      "offsets=padded_ends scale_pitch=16",
                      "pass=fwd in=e4m3/mx out=bf16 k=70 n=8 rows=3,0,4 pad=8 offsets=starts",
                      "pass=wgrad in=e4m3/block128 out=fp32 k=5 n=6 rows=130,0,9 scale_pitch=4",
                      "pass=wgrad in=e4m3/row out=fp32 k=5 n=6 rows=4,0 scale_pitch=16"));

}  // namespace
}  // namespace assay
