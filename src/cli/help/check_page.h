// The page of a check, made of its Check.
#pragma once

#include <string>
#include <string_view>

#include "properties/check.h"

namespace assay {

// What it tests, which field bug it is for, how its cases are chosen, what to
// do when it fails. Plain text, or Markdown.
std::string check_page(const Check& check);
std::string check_page_markdown(const Check& check);

}  // namespace assay
