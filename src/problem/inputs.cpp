#include "src/problem/inputs.h"

#include <fmt/format.h>

#include "src/core/text.h"
#include "src/problem/case_spec.h"

namespace assay {
namespace {

Result<Input> parse_input(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto format = format_named(text.substr(0, slash));
  if (!format) { return make_error(""); }
  Input input{*format, {}};
  if (slash == std::string_view::npos) { return input; }
  const Result<Scaling> scaling = parse_scaling(text.substr(slash + 1));
  ASSAY_TRY(scaling);
  input.scaling = *scaling;
  return input;
}

Result<ParsedInputs> parse_joint(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto format = format_named(text.substr(0, slash));
  if (!format) { return make_error(""); }
  Inputs inputs(*format);
  if (slash == std::string_view::npos) { return ParsedInputs{inputs}; }
  const Result<ScalingPair> scalings = parse_scalings(text.substr(slash + 1));
  ASSAY_TRY(scalings);
  inputs.a.scaling = scalings->a;
  inputs.b.scaling = scalings->b;
  return ParsedInputs{inputs};
}

std::optional<Role> operand_of(std::string_view piece) {
  const std::string_view word = piece.substr(0, piece.find(':'));
  for (const Role role : kAllRoles) {
    if (piece.find(':') != std::string_view::npos && name(role) == word) { return role; }
  }
  return std::nullopt;
}

std::string input_text(const Input& input) {
  std::string text{name(input.format)};
  if (input.scaling.present()) { (text += '/') += name(input.scaling); }
  return text;
}

}  // namespace

Result<ParsedInputs> parse_inputs(std::string_view text) {
  const std::vector<std::string_view> pieces = split_outside_parentheses(text, ',');
  if (!operand_of(pieces[0])) { return parse_joint(text); }
  if (pieces.size() != 2 || !operand_of(pieces[1])) {
    return make_error(fmt::format("{} does not name two operands, as x:bf16,w:e4m3", quote(text)));
  }
  const Role first = *operand_of(pieces[0]), second = *operand_of(pieces[1]);
  const Result<Input> one = parse_input(pieces[0].substr(2)),
                      two = parse_input(pieces[1].substr(2));
  ASSAY_TRY(one);
  ASSAY_TRY(two);
  for (const Pass pass : kAllPasses) {
    const Operation& op = operation(pass);
    if (op.a.role == first && op.b.role == second) { return ParsedInputs{{*one, *two}, pass}; }
    if (op.a.role == second && op.b.role == first) { return ParsedInputs{{*two, *one}, pass}; }
  }
  return make_error(fmt::format("{} names one operand twice", quote(text)));
}

std::optional<std::string> joint_text(const Inputs& inputs) {
  if (!inputs.alike()) { return std::nullopt; }
  const auto scales = joint_name(inputs.a.scaling, inputs.b.scaling);
  if (!scales) { return std::nullopt; }
  std::string text{name(inputs.a.format)};
  if (inputs.scaled()) { (text += '/') += *scales; }
  return text;
}

std::string inputs_by_operand(const Inputs& inputs, Pass pass) {
  const Operation& op = operation(pass);
  return fmt::format("{}:{},{}:{}", name(op.a.role), input_text(inputs.a), name(op.b.role),
                     input_text(inputs.b));
}

std::string inputs_text(const Inputs& inputs, Pass pass) {
  return joint_text(inputs).value_or(inputs_by_operand(inputs, pass));
}

std::string formats_text(const Inputs& inputs, char between) {
  std::string text{name(inputs.a.format)};
  if (!inputs.alike()) { (text += between) += name(inputs.b.format); }
  return text;
}

bool may_output(const Inputs& in, Format out) {
  if (!traits(out).stored) { return false; }
  return in.codes_alone() || traits(out).code || out == Format::kFp32 || out == in.a.format ||
         out == in.b.format;
}

std::vector<Format> outputs_of(const Inputs& in) {
  std::vector<Format> outputs;
  for (const Format out : kAllFormats) {
    if (may_output(in, out)) { outputs.push_back(out); }
  }
  return outputs;
}

std::string outputs_text(const Inputs& in) {
  const std::vector<Format> formats = outputs_of(in);
  std::string text;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (i > 0) { text += i + 1 == formats.size() ? " or " : ", "; }
    text += name(formats[i]);
  }
  return text;
}

std::optional<Format> default_output(const Inputs& in) {
  if (in.codes_alone()) { return std::nullopt; }
  return traits(in.a.format).code ? in.b.format : in.a.format;
}

std::optional<std::string> wrong_scales(const Inputs& in) {
  for (const Input& each : {in.a, in.b}) {
    if (each.scaling.present() && !traits(each.format).code) {
      return "scales belong to codes of 8 bits and fewer: " + format_names(FormatUse::kCodes);
    }
  }
  return std::nullopt;
}

}  // namespace assay
