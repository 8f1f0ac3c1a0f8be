// Output: what the results of a product are stored as. Codes of 8 bits may have one scale, which
// multiplies each sum before it is rounded: y = RN(scale * sum), fp32, one for all of x or y and
// one for each expert's w (cuBLASLt's scale of D, the static quantisation of vLLM).
#pragma once

#include <string>
#include <string_view>

#include "src/core/error.h"
#include "src/problem/format.h"

namespace assay {

struct Output {
  Format format = Format::kBf16;
  bool scaled = false;

  // Most of what is asked of an output is asked of its format.
  constexpr Output(Format stored = Format::kBf16, bool with_scale = false)
      : format(stored), scaled(with_scale) {}
  constexpr operator Format() const { return format; }
  friend constexpr bool operator==(const Output&, const Output&) = default;
  friend constexpr bool operator==(const Output& out, Format plain) { return out == Output(plain); }
};

constexpr bool may_be_scaled(const FormatTraits& row) { return row.code && row.stored; }

// `bf16`, `e4m3` or, with a scale, `e4m3/tensor`. Errors: why the text is refused; empty where the
// word is no format.
Result<Output> parse_output(std::string_view text);
// As parse_output reads it.
std::string name(const Output& out);

}  // namespace assay
