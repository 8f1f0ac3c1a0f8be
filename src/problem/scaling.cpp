#include "src/problem/scaling.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "src/core/require.h"
#include "src/core/text.h"
#include "src/problem/format.h"

namespace assay {
namespace {

constexpr Index kLargestBlock = Index{1} << 20;
constexpr int kE8m0Bias = 127;

// In the order of ScaleFormat.
constexpr ScaleFormatTraits kScaleFormats[] = {
    {.name = "fp32", .dlpack_code = 2, .size_bytes = 4, .nan = 0x7fd35353},
    {.name = "e8m0", .dlpack_code = 14, .size_bytes = 1, .nan = 0xff},
    {.name = "e4m3", .dlpack_code = 10, .size_bytes = 1, .nan = 0x7f},
};

struct RecipeName {
  Recipe recipe;
  std::string_view name;
};
constexpr RecipeName kRecipes[] = {{Recipe::kTensor, "tensor"},
                                   {Recipe::kRow, "row"},
                                   {Recipe::kBlock128, "block128"},
                                   {Recipe::kMx, "mx"},
                                   {Recipe::kNv, "nv"}};

std::optional<Index> parse_length(std::string_view text) {
  if (text == "all") { return 0; }
  const auto length = parse_index(text);
  return length && *length >= 1 && *length <= kLargestBlock ? length : std::nullopt;
}

std::optional<ScaleBlock> parse_block(std::string_view text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) { return std::nullopt; }
  const auto across = parse_length(text.substr(0, cross));
  const auto along = parse_length(text.substr(cross + 1));
  if (!across || !along) { return std::nullopt; }
  return ScaleBlock{*across, *along};
}

std::string length_text(Index length) { return length == 0 ? "all" : std::to_string(length); }

std::string block_text(const ScaleBlock& block) {
  return fmt::format("{}x{}", length_text(block.across), length_text(block.along));
}

}  // namespace

const ScaleFormatTraits& traits(ScaleFormat format) {
  const auto index = static_cast<std::size_t>(format);
  ASSAY_REQUIRE(index < std::size(kScaleFormats), index);
  return kScaleFormats[index];
}

double decode(ScaleFormat format, std::uint32_t bits) {
  switch (format) {
    case ScaleFormat::kFp32:
      return std::bit_cast<float>(bits);
    case ScaleFormat::kE4m3:
      return decode(Format::kE4m3, bits);
    case ScaleFormat::kE8m0:
      break;
  }
  constexpr std::uint32_t kNan = 255;
  if (bits == kNan) { return std::numeric_limits<double>::quiet_NaN(); }
  return std::ldexp(1.0, static_cast<int>(bits) - kE8m0Bias);
}

std::uint32_t encode(ScaleFormat format, double value) {
  switch (format) {
    case ScaleFormat::kFp32:
      return encode(Format::kFp32, value);
    case ScaleFormat::kE4m3:
      return encode(Format::kE4m3, value);
    case ScaleFormat::kE8m0:
      break;
  }
  ASSAY_REQUIRE(value >= 0x1p-127 && value < 0x1p128, value);
  return static_cast<std::uint32_t>(std::ilogb(value) + kE8m0Bias);
}

Result<ScalingPair> parse_scalings(std::string_view text) {
  for (const RecipeName& known : kRecipes) {
    if (known.name != text) { continue; }
    const Scaling both{.recipe = known.recipe};
    return ScalingPair{both, both};
  }
  Scaling scaling{.recipe = Recipe::kBlocks};
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    bool known = false;
    for (const ScaleFormat format : {ScaleFormat::kFp32, ScaleFormat::kE8m0, ScaleFormat::kE4m3}) {
      if (traits(format).name != text.substr(colon + 1)) { continue; }
      scaling.format = format;
      known = true;
    }
    if (!known) {
      return make_error(fmt::format("{} is no format of scales: fp32, e8m0 or e4m3",
                                    quote(text.substr(colon + 1))));
    }
  }
  const std::string_view blocks = text.substr(0, colon);
  const std::size_t comma = blocks.find(',');
  const auto a = parse_block(blocks.substr(0, comma));
  const auto b = comma == std::string_view::npos ? a : parse_block(blocks.substr(comma + 1));
  if (!a || !b) {
    return make_error(fmt::format("{} is no recipe of scales: {}", quote(text), scaling_forms()));
  }
  ScalingPair pair{scaling, scaling};
  pair.a.block = *a;
  pair.b.block = *b;
  return pair;
}

Result<Scaling> parse_scaling(std::string_view text) {
  if (text.find(',') != std::string_view::npos) {
    return make_error(fmt::format("{} has blocks of two inputs", quote(text)));
  }
  const Result<ScalingPair> pair = parse_scalings(text);
  ASSAY_TRY(pair);
  return pair->a;
}

std::string name(const Scaling& scaling) {
  for (const RecipeName& known : kRecipes) {
    if (known.recipe == scaling.recipe) { return std::string(known.name); }
  }
  if (!scaling.present()) { return ""; }
  return fmt::format("{}:{}", block_text(scaling.block), traits(scaling.format).name);
}

std::optional<std::string> joint_name(const Scaling& a, const Scaling& b) {
  if (a.recipe != b.recipe || a.format != b.format) { return std::nullopt; }
  if (a.recipe != Recipe::kBlocks) { return name(a); }
  return fmt::format("{},{}:{}", block_text(a.block), block_text(b.block), traits(a.format).name);
}

std::string scaling_forms() {
  return "tensor, row, block128, mx, nv, or blocks of A and B (across x along the reduction, 1 to "
         "1048576 or all) as 1x128,128x128:fp32";
}

}  // namespace assay
