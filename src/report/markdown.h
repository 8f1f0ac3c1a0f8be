// Text of others inside Markdown: shown as it stands, whatever a renderer would make of it.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// For a heading, a paragraph or a table's cell.
std::string markdown_text(std::string_view text);
// For a paragraph: `text` in as many backticks as it needs.
std::string code_span(std::string_view text);

}  // namespace assay
