// Inputs: what the two operands that a product reads hold, A and B in its terms: which operand that
// is depends on the pass (operation.h). They may differ: 16-bit activations beside 4-bit weights.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/error.h"
#include "src/problem/format.h"
#include "src/problem/operation.h"
#include "src/problem/scaling.h"

namespace assay {

struct Input {
  Format format = Format::kBf16;
  Scaling scaling{};
  friend bool operator==(const Input&, const Input&) = default;
};

struct Inputs {
  Input a, b;

  // Both of one format, without scales.
  constexpr Inputs(Format both = Format::kBf16) : a{both, {}}, b{both, {}} {}
  constexpr Inputs(const Input& first, const Input& second) : a(first), b(second) {}
  bool scaled() const { return a.scaling.present() || b.scaling.present(); }
  // One format, whatever the scales.
  bool alike() const { return a.format == b.format; }
  // Both of 8 bits or fewer.
  bool codes_alone() const { return traits(a.format).code && traits(b.format).code; }
  // Products are integers.
  bool integers() const { return traits(a.format).integer && traits(b.format).integer; }
  // A kernel may multiply one of them in a shorter format.
  bool converted() const { return traits(a.format).converted || traits(b.format).converted; }
  const Input& of(Pass pass, Role role) const { return role == operation(pass).a.role ? a : b; }
  friend bool operator==(const Inputs&, const Inputs&) = default;
};

// `bf16`, `e4m3/block128` or, of the operands of a pass, `x:bf16,w:e4m3/1x128`. `pass` is the one
// whose operands are named, where they are.
struct ParsedInputs {
  Inputs inputs;
  std::optional<Pass> pass{};
};
// Errors: why the text is refused; empty where a word is no format.
Result<ParsedInputs> parse_inputs(std::string_view text);
// As parse_inputs reads it: joint where one word can say both, else of the pass's operands.
std::string inputs_text(const Inputs& inputs, Pass pass);
// Always of the pass's operands.
std::string inputs_by_operand(const Inputs& inputs, Pass pass);
// Nothing where one word cannot say both.
std::optional<std::string> joint_text(const Inputs& inputs);
// The formats alone: one name where both have it, else both with `between`.
std::string formats_text(const Inputs& inputs, char between);

// What an operation may make of them, in the order of the formats: any output of codes alone; else
// fp32, the format of an input, or 8 bits.
bool may_output(const Inputs& in, Format out);
std::vector<Format> outputs_of(const Inputs& in);
std::string outputs_text(const Inputs& in);  // as `bf16, fp16 or fp32`
// Of a case that does not say: the first input's format that has more than 8 bits.
std::optional<Format> default_output(const Inputs& in);
// Why the formats cannot have these scales.
std::optional<std::string> wrong_scales(const Inputs& in);

}  // namespace assay
