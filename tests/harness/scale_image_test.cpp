// Scales in memory: each where assay/abi.h says, and nothing but NaN between them.
#include "src/harness/memory/scale_image.h"

#include <cstring>

#include <gtest/gtest.h>

#include "src/problem/case_text.h"
#include "src/problem/scale_places.h"

namespace assay {
namespace {

std::uint32_t code_at(const std::vector<std::byte>& image, ScaleFormat format, Index at) {
  const Index size = traits(format).size_bytes;
  std::uint32_t code = 0;
  std::memcpy(&code, image.data() + at * size, static_cast<std::size_t>(size));
  return code;
}

class ScaleImage : public ::testing::TestWithParam<const char*> {};

// What assay/abi.h says of tiles, written once more.
Index in_tiles(Index across, Index along, Index along_blocks) {
  return (across / 128 * ((along_blocks + 3) / 4) + along / 4) * 512 + across % 32 * 16 +
         across % 128 / 32 * 4 + along % 4;
}

TEST_P(ScaleImage, HasEveryScaleInItsPlaceAndNanElsewhere) {
  const auto spec = parse_case(GetParam());
  ASSERT_TRUE(spec) << spec.error().message;
  const Problem problem = make_problem(*spec);
  Index gaps = 0;
  for (const Role role : kAllRoles) {
    const DenseScales& scales = problem.scales[role];
    if (!scales.present()) { continue; }
    const std::vector<std::byte> image = store_scales(problem, role, false);
    const ScalePlaces places = scale_places(*spec, role, problem.layout, scales);
    ASSERT_EQ(std::ssize(image), places.extent * traits(scales.format).size_bytes);
    std::vector<bool> owned(static_cast<std::size_t>(places.extent));
    for (Index expert = 0; expert < spec->experts(); ++expert) {
      const Index rows = scales.first[expert + 1] - scales.first[expert];
      for (Index row = 0; row < rows; ++row) {
        for (Index col = 0; col < scales.cols; ++col) {
          const bool turned = places.along_rows;
          const Index in_grid = places.tiled ? in_tiles(turned ? col : row, turned ? row : col,
                                                        turned ? rows : scales.cols)
                                             : row * places.row + col * places.col;
          const Index at = places.first[expert] + in_grid;
          EXPECT_TRUE(!owned[static_cast<std::size_t>(at)] || spec->pointers == Pointers::kShared);
          owned[static_cast<std::size_t>(at)] = true;
          EXPECT_EQ(code_at(image, scales.format, at),
                    scales.load(scales.first[expert] + row, col));
        }
      }
    }
    for (Index at = 0; at < places.extent; ++at) {
      if (owned[static_cast<std::size_t>(at)]) { continue; }
      ++gaps;
      EXPECT_EQ(code_at(image, scales.format, at), traits(scales.format).nan);
    }
  }
  if (spec->pointers != Pointers::kInOrder) { return; }
  EXPECT_EQ(gaps > 0, spec->pad > 1 || spec->cap > 0 || spec->scale_pitch > 1 ||
                          spec->scale_layout != ScaleLayout::kStrided);
}

// Else a kernel that ignores its pointers would find them.
TEST(ScalePlaces, OfScatteredExpertsAreInNoOrder) {
  for (const char* const layout : {"", " scale_layout=32_4_4"}) {
    const auto spec = parse_case(std::string("pass=fwd in=e4m3/mx out=bf16 k=40 n=6 rows=3,5,1,2 "
                                             "offsets=problems pointers=scattered") +
                                 layout);
    ASSERT_TRUE(spec) << spec.error().message;
    const Problem problem = make_problem(*spec);
    for (const Role role : {Role::kX, Role::kW}) {
      const ScalePlaces places = scale_places(*spec, role, problem.layout, problem.scales[role]);
      EXPECT_FALSE(std::ranges::is_sorted(places.first)) << name(role) << layout;
    }
  }
}

TEST(ScalePlaces, OfAlignedStartsAreWhereTheRowsAre) {
  const auto spec = parse_case(
      "pass=wgrad in=e4m3/mx out=fp32 k=5 n=6 rows=33,0,9 pad=64 offsets=padded_ends "
      "scale_starts=aligned");
  ASSERT_TRUE(spec) << spec.error().message;
  const Problem problem = make_problem(*spec);
  const ScalePlaces places =
      scale_places(*spec, Role::kX, problem.layout, problem.scales[Role::kX]);
  EXPECT_EQ(places.first[0], 0);
  EXPECT_EQ(places.first[2], 64 / 32 * 5);
  EXPECT_EQ(places.rows, 128 / 32);
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, ScaleImage,
    ::testing::Values("pass=fwd in=e4m3/block128 out=bf16 k=300 n=8 rows=3,0,2",
                      "pass=fwd in=e4m3/block128 out=bf16 k=300 n=8 rows=3,0,2 scale_pitch=4",
                      "pass=fwd in=e4m3/mx out=bf16 k=70 n=8 rows=3,0,4 pad=8 "
                      "offsets=padded_ends scale_pitch=16",
                      "pass=fwd in=e4m3/mx out=bf16 k=70 n=8 rows=3,0,4 pad=8 offsets=starts",
                      "pass=fwd in=e4m3/mx out=bf16 k=270 n=130 rows=3,0,129 scale_layout=32_4_4",
                      "pass=dgrad in=e2m1/nv out=bf16 k=130 n=70 rows=130,0,2 scale_layout=32_4_4",
                      "pass=wgrad in=e4m3/mx out=fp32 k=5 n=136 rows=290,0,9 scale_layout=32_4_4",
                      "pass=fwd in=e4m3/2x32 out=fp32 k=40 n=6 rows=3,0,4 offsets=masked cap=6 "
                      "scale_starts=aligned",
                      "pass=wgrad in=e4m3/mx out=fp32 k=5 n=6 rows=33,0,9 pad=64 "
                      "offsets=padded_ends scale_starts=aligned scale_pitch=4",
                      "pass=wgrad in=e4m3/block128 out=fp32 k=5 n=6 rows=130,0,9 scale_pitch=4",
                      "pass=wgrad in=e4m3/row out=fp32 k=5 n=6 rows=4,0 scale_pitch=16",
                      "pass=fwd in=e4m3/mx out=bf16 k=140 n=6 rows=3,0,130,2 offsets=problems "
                      "pointers=shared scale_layout=32_4_4",
                      "pass=fwd in=e4m3/row out=bf16 k=140 n=6 rows=3,0,130,2,1 offsets=problems "
                      "pointers=shared",
                      "pass=wgrad in=e4m3/mx out=fp32 k=5 n=6 rows=33,0,9,70 offsets=problems "
                      "pointers=scattered"));

}  // namespace
}  // namespace assay
