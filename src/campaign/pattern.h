// Pattern: a regular expression, as options take them. Only its source compiles the library's
// templates for them, which take seconds.
#pragma once

#include <memory>
#include <string>

#include "src/core/error.h"

namespace assay {

class Pattern {
 public:
  // Errors: `OPTION 'TEXT' is not a valid regular expression: ` with the reason.
  static Result<Pattern> parse(const std::string& option, const std::string& text);
  bool is_found_in(const std::string& text) const;

 private:
  struct Compiled;
  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace assay
