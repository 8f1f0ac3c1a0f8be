// Topics of `assay help`: what one has to know beyond the options of a command. The man page is
// made of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace assay {

struct HelpTopic {
  std::string_view name, summary;
  std::string (*text)();
};
std::span<const HelpTopic> help_topics();

std::string_view text_of_cases();
std::string text_of_scales();
std::string text_of_offsets();
std::string text_of_import();
std::string_view text_of_bounds();
std::string_view text_of_manifest();
std::string_view text_of_certificate();
std::string_view text_of_waivers();
std::string_view text_of_ci();
std::string text_of_checks();
std::string text_of_aspects();

// roff, for man(1).
std::string man_page();
// Every check's page as one Markdown file.
std::string checks_markdown();

}  // namespace assay
