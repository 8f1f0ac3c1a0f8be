#include "src/problem/output.h"

#include <fmt/format.h>

#include "src/core/text.h"

namespace assay {
namespace {

constexpr std::string_view kScale = "/tensor";

}  // namespace

Result<Output> parse_output(std::string_view text) {
  const std::string_view word = text.substr(0, text.find('/'));
  const auto format = format_named(word);
  if (!format) { return make_error(""); }
  const std::string_view scale = text.substr(word.size());
  if (scale.empty()) { return Output(*format); }
  if (scale != kScale) {
    return make_error(
        fmt::format("{} is not a scale of an output; write {}{}", quote(scale), word, kScale));
  }
  if (!may_be_scaled(traits(*format))) {
    return make_error(fmt::format("an output with a scale has 8 bits: {}",
                                  format_names(FormatUse::kScaledOutputs)));
  }
  return Output(*format, true);
}

std::string name(const Output& out) {
  std::string text{name(out.format)};
  if (out.scaled) { text += kScale; }
  return text;
}

}  // namespace assay
