#include "src/campaign/pattern.h"

#include <regex>

#include <fmt/format.h>

namespace assay {

struct Pattern::Compiled {
  std::regex regex;
};

Result<Pattern> Pattern::parse(const std::string& option, const std::string& text) {
  try {
    return Pattern(std::make_shared<const Compiled>(Compiled{std::regex(text)}));
  } catch (const std::regex_error& error) {
    return make_error(
        fmt::format("{} '{}' is not a valid regular expression: {}", option, text, error.what()));
  }
}

bool Pattern::is_found_in(const std::string& text) const {
  return std::regex_search(text, compiled_->regex);
}

}  // namespace assay
