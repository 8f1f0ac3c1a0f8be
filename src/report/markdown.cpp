#include "src/report/markdown.h"

#include <algorithm>

#include "src/core/text.h"

namespace assay {

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '@':
        out += "@&#8203;";  // nobody is notified: a space without width follows
        break;
      default:
        if (std::string_view("\\`*_{}[]#|~!$").find(c) != std::string_view::npos) { out += '\\'; }
        out += c;
    }
  }
  return out;
}

std::string code_span(std::string_view text) {
  const std::string line = one_line(text);
  std::size_t longest = 0, run = 0;
  for (const char c : line) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string ticks(longest + 1, '`');
  // A renderer takes one blank off each end.
  return longest == 0 && !line.starts_with(' ') ? ticks + line + ticks
                                                : ticks + " " + line + " " + ticks;
}

}  // namespace assay
