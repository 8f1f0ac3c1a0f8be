// The parser of cases: no text breaks it, what it refuses it refuses in one line, and a case that
// it reads is printed and read back to the same case, canonical and short.
#include <string>
#include <string_view>

#include "fuzz/case_file.h"
#include "fuzz/note.h"
#include "fuzz/target.h"
#include "src/core/require.h"
#include "src/problem/case_text.h"

namespace {

// Expanding a generator costs what its numbers say; a fuzzer only learns slowly from a million
// experts. Six digits in a row are also what a file name never has, so recordings stay readable.
bool is_expensive(std::string_view text) {
  int digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits >= 5 && text.find('(') != std::string_view::npos) { return true; }
    if (digits >= 5 && text.find('*') != std::string_view::npos) { return true; }
  }
  return false;
}

void require_one_line(const std::string& message) {
  ASSAY_REQUIRE(!message.empty());
  ASSAY_REQUIRE(message.find('\n') == std::string::npos, message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (is_expensive(text) || text.find("recorded(") != std::string_view::npos) { return 0; }
  const assay::Result<assay::CaseSpec> spec = assay::parse_case(text);
  if (!spec) {
    require_one_line(spec.error().message);
    if (assay::wants_notes()) {
      assay::note("refused_" + assay::message_words(spec.error().message));
    }
    return 0;
  }
  if (assay::wants_notes()) { assay::note(assay::case_words_note(*spec)); }
  ASSAY_REQUIRE(assay::check_case(*spec).has_value(), text);
  const std::string canonical = assay::canonical_text(*spec);
  const std::string shortest = assay::short_text(*spec);
  for (const std::string& printed : {canonical, shortest}) {
    const assay::Result<assay::CaseSpec> again = assay::parse_case(printed);
    ASSAY_REQUIRE(again.has_value(), printed, again ? "" : again.error().message);
    ASSAY_REQUIRE(*again == *spec, printed, text);
    ASSAY_REQUIRE(assay::canonical_text(*again) == canonical, printed);
    ASSAY_REQUIRE(assay::short_text(*again) == shortest, printed);
  }
  return 0;
}
