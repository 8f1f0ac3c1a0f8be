#include "src/report/markdown.h"

#include <algorithm>

#include "src/core/text.h"
#include "src/report/html.h"

namespace assay {

std::string markdown_text(std::string_view text) {
  // A space without width after '@': nobody is notified.
  constexpr Replacement kReplacements[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'@', "@&#8203;"}, {'\\', "\\\\"}, {'`', "\\`"},
      {'*', "\\*"},   {'_', "\\_"},  {'{', "\\{"},  {'}', "\\}"},      {'[', "\\["},   {']', "\\]"},
      {'#', "\\#"},   {'|', "\\|"},  {'~', "\\~"},  {'!', "\\!"},      {'$', "\\$"}};
  return replaced(one_line(text), kReplacements);
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
