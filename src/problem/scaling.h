// Scaling: the blocks of an input whose codes share a scale, and how scales are stored.
//
// A block is counted across (the input's own axis of the output: rows of A, columns of B) and
// along the reduction, from an expert's first row on; the last one may be short. 0 stands for the
// whole axis of an expert. An input with rows and one scale for all of both axes has one scale
// for all experts.
//
//   tensor    A all x all      B all x all     fp32   Transformer Engine, vLLM static
//   row       A 1 x all        B 1 x all       fp32   torch scaled_grouped_mm, MSLK
//   block128  A 1 x 128        B 128 x 128     fp32   DeepSeek, DeepGEMM; wgrad: B 1 x 128
//   mx        A 1 x 32         B 1 x 32        e8m0   OCP MX: torch, Transformer Engine MXFP8
//   nv        A 1 x 16         B 1 x 16        e4m3   NVFP4; and one of fp32 for all of x or y, and
//                                                     for each expert's w, that multiplies these
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "src/core/error.h"
#include "src/core/index.h"

namespace assay {

enum class ScaleFormat : std::uint8_t { kFp32, kE8m0, kE4m3 };

struct ScaleFormatTraits {
  std::string_view name;
  std::uint8_t dlpack_code;  // with size_bytes * 8 bits
  Index size_bytes;
  std::uint32_t nan;  // poison of scales that no row has
};
const ScaleFormatTraits& traits(ScaleFormat format);
// The exact value of a scale's bits.
double decode(ScaleFormat format, std::uint32_t bits);
// The nearest scale; of e8m0 the power of two below or at a positive value.
std::uint32_t encode(ScaleFormat format, double value);

enum class Recipe : std::uint8_t { kNone, kTensor, kRow, kBlock128, kMx, kNv, kBlocks };

// Elements of one scale: along the output's axis, and along the reduction; 0: the whole axis.
struct ScaleBlock {
  Index across = 0, along = 0;
  friend bool operator==(const ScaleBlock&, const ScaleBlock&) = default;
};

// Of one input.
struct Scaling {
  Recipe recipe = Recipe::kNone;
  // Of kBlocks alone.
  ScaleBlock block{};
  ScaleFormat format = ScaleFormat::kFp32;

  bool present() const { return recipe != Recipe::kNone; }
  friend bool operator==(const Scaling&, const Scaling&) = default;
};

struct ScalingPair {
  Scaling a, b;
};
// `block128`, or blocks of A and B as `1x64,64x64:fp32`; one block stands for both, and fp32 may be
// left out. Errors: why the text is refused.
Result<ScalingPair> parse_scalings(std::string_view text);
// Of one input: a recipe or one block.
Result<Scaling> parse_scaling(std::string_view text);
// As these read it; empty for none.
std::string name(const Scaling& scaling);
// Nothing where one text cannot say both.
std::optional<std::string> joint_name(const Scaling& a, const Scaling& b);
std::string scaling_forms();  // for messages

}  // namespace assay
