// Whatever a kernel, a record or a certificate says: no form of a report lets it move a terminal's
// cursor, turn the direction of writing, end a line, open a tag, or fill a screen.
#include <algorithm>
#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "src/campaign/sequence.h"
#include "src/certificate/diff.h"
#include "src/certificate/verify.h"
#include "src/core/text.h"
#include "src/report/markdown.h"
#include "src/report/report.h"
#include "src/report/report_text.h"
#include "tests/certificate/certificate_fixture.h"

namespace assay {
namespace {

using testing::Folder;
using testing::record_run;
using testing::recorded;
using testing::tiny_names;

const std::string kChecks =
    "passes,refuses_some,on_a_gpu,fails_on_wide,measures,measures_nothing,measures_or_fails";
constexpr char kLongName = 'N', kLongSentence = 'S';
constexpr std::size_t kTooLong = 3 * kSentenceLength;

bool begins(const std::string& text, std::size_t at, std::string_view prefix) {
  return std::string_view(text).substr(at).starts_with(prefix);
}

// What printable UTF-8 never has, but for a line's end: written down here once more, so that what
// cleans is not its own judge. Answers the bytes there.
std::string first_unprintable(const std::string& text) {
  struct Range {
    std::string_view lead;
    unsigned char first, last;
  };
  constexpr Range kRanges[] = {{"", 0, 9},
                               {"", 11, 0x1f},
                               {"", 0x7f, 0x7f},
                               {"", 0xc0, 0xc1},
                               {"", 0xf5, 0xff},
                               {"\xc2", 0x80, 0x9f},
                               {"\xc2", 0xad, 0xad},
                               {"\xd8", 0x9c, 0x9c},
                               {"\xe2\x80", 0x8b, 0x8f},
                               {"\xe2\x80", 0xa8, 0xae},
                               {"\xe2\x81", 0xa0, 0xaf},
                               {"\xef\xbb", 0xbf, 0xbf},
                               {"\xf3\xa0", 0x80, 0xbf}};
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const auto& [lead, first, last] : kRanges) {
      if (!begins(text, at, lead) || at + lead.size() >= text.size()) { continue; }
      const auto byte = static_cast<unsigned char>(text[at + lead.size()]);
      if (first <= byte && byte <= last) { return quote(text.substr(at, lead.size() + 1)); }
    }
  }
  return "";
}

const std::array<std::string, 27> kPieces = {"\x1b[31m",
                                             "\x1b]0;title\x07",
                                             "\n",
                                             "\r\n",
                                             "\t",
                                             "\x7f",
                                             "\xc2\x9b"
                                             "2J",
                                             "\u202e",
                                             "\u2066",
                                             "\u200b",
                                             "\ufeff",
                                             "\u2028",
                                             "\u061c",
                                             "\U000e0041",
                                             "\xff\xc3",
                                             "<script>alert(1)</script>",
                                             "<img src=x>",
                                             "\"'&lt;",
                                             "\n```\n",
                                             "`",
                                             "``",
                                             "|",
                                             "](http://x) [",
                                             "# **_",
                                             "\\",
                                             "=1+1",
                                             "größer, \u20ac"};

std::string hostile(char filler) {
  constexpr int kMostPieces = 6;
  const auto words =
      *rc::gen::resize(kMostPieces, rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 28)));
  std::string text = "x";
  for (const int word : words) {
    text += word < 27 ? kPieces[word] : std::string(kTooLong, filler);
  }
  return text;
}
std::string hostile_name() { return hostile(kLongName); }
std::string hostile_sentence() { return hostile(kLongSentence); }
// One of two words, so that the shape of a report does not depend on it.
template <class Text>
std::string word(bool benign, Text text) {
  return benign ? "x" : text();
}

struct Texts {
  bool benign = false;
  std::string name() const { return word(benign, hostile_name); }
  std::string sentence() const { return word(benign, hostile_sentence); }
};

void fill(Environment& environment, Harness& harness, const Texts& texts) {
  environment = {.system = texts.name(),
                 .kernel = texts.name(),
                 .cpu = texts.name(),
                 .gpu = texts.name(),
                 .compute_capability = texts.name(),
                 .driver = texts.name(),
                 .cuda_runtime = texts.name()};
  harness = {.version = texts.name(), .compiler = texts.name(), .sha256 = texts.name()};
}

// A record's every text.
void fill(RunRecord& record, const Texts& texts) {
  RunHeader& header = record.header;
  fill(header.environment, header.harness, texts);
  for (std::string* name : {&header.kernel, &header.artifact.name, &header.artifact.sha256,
                            &header.manifest.name, &header.profile.name, &header.profile.sha256}) {
    *name = texts.name();
  }
  for (Waiver& waiver : header.waivers) {
    waiver.reason = texts.sentence();
    waiver.link = texts.sentence();
  }
  for (auto& [job, one] : record.cases) {
    if (one.verdict.reason.empty()) { continue; }
    one.verdict.reason = texts.sentence();
    one.verdict.failed = {{Aspect::kStrayWrite, one.verdict.reason},
                          {Aspect::kValues, texts.sentence()}};
    if (!one.result.reason.empty()) { one.result.reason = one.verdict.reason; }
  }
  for (auto& [job, finding] : record.findings) {
    finding.verdict.reason = texts.sentence();
    finding.verdict.failed = {{Aspect::kStrayWrite, finding.verdict.reason},
                              {Aspect::kValues, texts.sentence()}};
    // One of its own each: findings of one explanation stand together.
    finding.diagnosis = {.hypothesis = std::to_string(job) + texts.name(),
                         .sentence = texts.sentence(),
                         .share = 1,
                         .tried = 3,
                         .where = texts.sentence()};
    finding.before.assign(kMostShownSteps + 1, texts.sentence());
    finding.replay = word(texts.benign, [] { return hostile('R'); });
  }
  record.end->cut_short = texts.sentence();
}

// The run that every property fills with other texts.
const RunRecord& whole_run() {
  static const RunRecord record = [] {
    const Folder folder;
    const Waiver waiver{"fails_on_wide", "fake", "reason", "link", "2099-12-31"};
    EXPECT_TRUE(record_run(folder / "r", {.checks = kChecks, .waivers = {waiver}}));
    RunRecord made = recorded(folder / "r");
    for (const auto& [job, one] : made.cases) {
      if (!is_finding(one.result.kind)) { continue; }
      const Check* check = &plan_of(made.header, tiny_names())->check(job);
      made.findings[job] =
          as_met("k", {.check = check, .spec = *parse_case(one.line), .verdict = one.verdict});
    }
    return made;
  }();
  return record;
}

struct Forms {
  std::string terminal{}, coloured{}, quiet{}, markdown{}, csv{}, junit{}, html{}, verdict{},
      accepted{}, rejected{}, difference{};
};

Certificate filled_certificate(const ReportedRun& run, const Texts& texts) {
  Certificate certificate = certificate_of(run.record, run.result);
  certificate.kernel_name = texts.name();
  for (std::size_t row = 0; row < certificate.checks.size(); ++row) {
    CertifiedCheck& check = certificate.checks[row];
    if (check.status != "WAIVED") { check.name = std::to_string(row) + texts.name(); }
    check.reason = texts.sentence();
    if (!check.worst_case.empty()) { check.worst_case = texts.sentence(); }
    if (check.measured) { check.measured->unit = texts.name(); }
  }
  certificate.waivers.push_back(
      {"on_a_gpu", "fake", texts.sentence(), texts.sentence(), "2099-01-01"});
  certificate.waivers.push_back({texts.name(), "fake", texts.sentence(), "link", "2099-01-01"});
  return certificate;
}

Forms forms_of(const Texts& texts) {
  RunRecord record = whole_run();
  fill(record, texts);
  const ReportedRun run = reported_run(record, tiny_names()).value();
  Forms forms{.terminal = report_text(run.result, {}),
              .coloured = report_text(run.result, {.colour = true}),
              .quiet = quiet_text(run.result, {}),
              .markdown = markdown_report({run}),
              .csv = csv_report({run}, tiny_names()),
              .junit = junit_report({run}),
              .html = html_report({run}, tiny_names()),
              .verdict = verdict_sentence(run)};
  Certificate certificate = filled_certificate(run, texts);
  forms.accepted =
      verification_text(texts.name(), {.notes = {texts.sentence()}, .certificate = certificate});
  forms.rejected = verification_text("f", {.wrong = texts.sentence()});
  Certificate other = certificate;
  for (std::string* name : {&other.artifact.name, &other.artifact.sha256, &other.profile_name,
                            &other.environment.gpu, &other.environment.driver}) {
    name->insert(0, "other");
  }
  for (CertifiedCheck& check : other.checks) { check.worst_ratio += 1; }
  forms.difference = difference_text(difference_of(certificate, other));
  return forms;
}

Index count_of(const std::string& text, const std::string& part) {
  Index count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) {
    ++count;
  }
  return count;
}

std::string without(std::string text, std::string_view part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) {
    text.erase(at, part.size());
  }
  return text;
}

void require_printable(const std::string& text) {
  RC_ASSERT(first_unprintable(text) == "");
  RC_ASSERT(text.find(std::string(kNameLength + 1, kLongName)) == std::string::npos);
  RC_ASSERT(text.find(std::string(kSentenceLength + 1, kLongSentence)) == std::string::npos);
}

// Each '<' with the name that follows.
std::vector<std::string> tags_of(const std::string& document) {
  std::vector<std::string> tags;
  for (std::size_t at = 0; (at = document.find('<', at)) != std::string::npos;) {
    const std::size_t end = document.find_first_of(" >\n", at);
    tags.push_back(document.substr(at, end - at));
    at = std::min(end, document.size());
  }
  return tags;
}

std::size_t ticks_at(const std::string& text, std::size_t at) {
  return std::min(text.find_first_not_of('`', at), text.size()) - at;
}

// Markdown without its blocks and spans of code, and without what is escaped.
std::string prose_of(const std::string& markdown) {
  constexpr std::string_view kFence = "\n```\n";
  std::string text = markdown, prose;
  for (std::size_t at; (at = text.find(kFence)) != std::string::npos;) {
    text.erase(at, text.find(kFence, at + kFence.size() - 1) + kFence.size() - at);
  }
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\\') {
      at += 2;
    } else if (text[at] == '`') {
      const std::size_t ticks = ticks_at(text, at);
      std::size_t end = at + ticks;
      while (end < text.size() && (text[end] != '`' || ticks_at(text, end) != ticks)) {
        end += std::max<std::size_t>(ticks_at(text, end), 1);
      }
      if (end >= text.size()) {
        prose += '`';  // opens and does not close
      }
      at = end >= text.size() ? at + ticks : end + ticks;
    } else {
      prose += text[at++];
    }
  }
  return prose;
}

void require_text_in_markdown(const std::string& markdown, const std::string& plain) {
  const std::string prose = prose_of(markdown);
  for (const char* part : {"<", "`", "["}) { RC_ASSERT(count_of(prose, part) == 0); }
  RC_ASSERT(count_of(prose, "|") == count_of(prose_of(plain), "|"));
  RC_ASSERT(count_of("\n" + prose, "\n#") == 1);
  RC_ASSERT(markdown.starts_with("## Kernel "));
}

RC_GTEST_PROP(HostileText, IsNoMoreThanTextInEveryForm, ()) {
  static const Forms plain = forms_of({.benign = true});
  const Forms forms = forms_of({});
  for (const auto text :
       {&Forms::terminal, &Forms::quiet, &Forms::markdown, &Forms::csv, &Forms::junit, &Forms::html,
        &Forms::verdict, &Forms::accepted, &Forms::rejected, &Forms::difference}) {
    require_printable(forms.*text);
    RC_ASSERT(count_of(forms.*text, "\n") == count_of(plain.*text, "\n"));
  }
  std::string coloured = forms.coloured;
  for (const char* code : {"31", "32", "33", "2", "0"}) {
    coloured = without(coloured, std::string("\x1b[") + code + "m");
  }
  RC_ASSERT(coloured == forms.terminal);
  RC_ASSERT(tags_of(forms.html) == tags_of(plain.html));
  RC_ASSERT(tags_of(forms.junit) == tags_of(plain.junit));
  require_text_in_markdown(forms.markdown, plain.markdown);
  RC_ASSERT(forms.accepted.starts_with("accepted: 'x") ||
            forms.accepted.starts_with("accepted: x"));
}

RC_GTEST_PROP(HostileText, IsOnePieceForMarkdownAndATerminal, ()) {
  const std::string text = hostile_sentence();
  RC_ASSERT(first_unprintable(markdown_text(text)) == "");
  RC_ASSERT(markdown_text(text).find('\n') == std::string::npos);
  RC_ASSERT(prose_of(markdown_text(text)).find_first_of("<`[|") == std::string::npos);
  RC_ASSERT(prose_of(code_span(text)) == "");
  RC_ASSERT(one_line(one_line(text)) == one_line(text));
  const std::size_t most = *rc::gen::inRange<std::size_t>(0, 40);
  const std::string cut = one_line(text, most);
  const auto characters = std::ranges::count_if(
      cut, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  RC_ASSERT(static_cast<std::size_t>(characters) <= std::max<std::size_t>(most, 3));
}

}  // namespace
}  // namespace assay
