// What to do when a check fails: one row a check; a test holds the rows against the registry.
#pragma once

#include <string>
#include <string_view>

#include "properties/check.h"

namespace assay {

// "" for a check without a row.
std::string_view advice_of(std::string_view check);

// The page of a check: what it tests, which field bug it is for, how its cases are chosen, what to
// do when it fails. Plain text, or Markdown.
std::string check_page(const Check& check);
std::string check_page_markdown(const Check& check);

}  // namespace assay
