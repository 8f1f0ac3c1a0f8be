#include "src/cli/help/topics.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/campaign/profile.h"
#include "src/cli/command.h"
#include "src/cli/help/check_page.h"
#include "src/import/import.h"

namespace assay {
namespace {

template <std::string_view (*kText)()>
std::string verbatim() {
  return std::string(kText());
}

constexpr HelpTopic kTopics[] = {
    {"cases", "the one spelling of a case, and its keys", verbatim<text_of_cases>},
    {"import", "which files make cases, and how", text_of_import},
    {"offsets", "the ways of telling a kernel where experts begin", text_of_offsets},
    {"scales", "scales of inputs and outputs: recipes, and what is judged", text_of_scales},
    {"checks", "what is tested, one sentence a check; `assay help NAME` has a check's page",
     text_of_checks},
    {"aspects", "what can be wrong: under which a finding is filed", text_of_aspects},
    {"bounds", "how an element is judged, and why there is no tolerance", verbatim<text_of_bounds>},
    {"manifest", "what a kernel declares about itself", verbatim<text_of_manifest>},
    {"certificate", "files, keys, verifying, policies", verbatim<text_of_certificate>},
    {"waivers", "known failures that a run may have", verbatim<text_of_waivers>},
    {"ci", "exit codes, shards, resuming, reports, CMake", verbatim<text_of_ci>},
};

// roff takes a leading '.' or '\'' for a request, and '\\' and '-' for its own.
std::string roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) { out += "\\&"; }
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

std::string capitals(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  });
  return out;
}

}  // namespace

std::span<const HelpTopic> help_topics() { return kTopics; }

std::string text_of_import() {
  std::string text =
      "A kernel's own cases are a file of lines, one a case, with comments from # on:\n\n"
      "  assay import topk_ids.npy --k 4096 --n 2048 --experts 64 --pass fwd,wgrad > own.cases\n"
      "  assay certify ./my_kernel.so --cases own.cases\n\n"
      "They are judged beside the profile's, by the check own_cases_are_right, and the "
      "certificate\n"
      "names them by their digest. A profile of your own may hold them too, as lines "
      "`case=CASE`.\n\n"
      "The form of a file is recognised by its content, or named by --as:\n\n";
  for (const ImportFormName& form : import_form_names()) {
    text += fmt::format("  {:<10}{}\n", form.name, form.summary);
  }
  return text +
         "\nIds of -1, and of the number of experts, send a token nowhere: they are counted and "
         "not\n"
         "imported. For a tuned JSON, --k is the hidden size: each batch size makes the two "
         "products\n"
         "of a layer. What was assumed or left out is said on stderr.\n";
}

std::string text_of_checks() {
  std::string text;
  for (const Check& check : every_name().checks) {
    text += fmt::format("{}\n    {}\n", check.name, check.summary);
  }
  return text + "\n" + text_of_aspects();
}

std::string text_of_aspects() {
  std::string text = "A finding is filed under what is wrong, whichever check met it:\n\n";
  for (const Aspect aspect : all_aspects()) {
    text += fmt::format("{:<16}{}\n", name(aspect), what_is_wrong(aspect));
  }
  return text;
}

std::string man_page() {
  std::string page =
      ".TH ASSAY 1 \"\" \"Assay\" \"User Commands\"\n.SH NAME\n"
      "assay \\- verification and fuzz testing of grouped\\-GEMM kernels\n"
      ".SH SYNOPSIS\n.B assay\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  for (const Command& command : all_commands()) {
    page += fmt::format(".TP\n.B {}\n{}\n", roff(command.name), roff(command.summary));
  }
  for (const HelpTopic& topic : kTopics) {
    page += fmt::format(".SH {}\n{}.\n.PP\n.nf\n{}.fi\n", capitals(topic.name), roff(topic.summary),
                        roff(topic.text()));
  }
  return page;
}

std::string checks_markdown() {
  std::string text =
      "# Checks\n\nA check is one true sentence about a kernel. This file is what `assay help "
      "checks "
      "--markdown` prints; `assay help NAME` has one page in a terminal.\n\n"
      "Some are a family of cases: they choose cases that show one kind of mistake, and judge each "
      "in every respect.\n"
      "A finding is filed under what is wrong, whichever check met it:\n\n"
      "| aspect | what is wrong |\n|---|---|\n";
  for (const Aspect aspect : all_aspects()) {
    text += fmt::format("| {} | {} |\n", name(aspect), what_is_wrong(aspect));
  }
  for (const Check& check : every_name().checks) { text += "\n" + check_page_markdown(check); }
  return text;
}

}  // namespace assay
