// `assay import`: no file breaks it, in any form; what it refuses it refuses in one line that names
// the file, and the lines that it makes are read back as the cases that it made.
#include <string>

#include "fuzz/note.h"
#include "fuzz/target.h"
#include "src/core/require.h"
#include "src/import/import.h"
#include "src/problem/case_list.h"

namespace {

// Its name is that of a tuned file, so that this form needs nothing else.
const std::string kFile = "E=4,N=8,device_name=fuzz.json";

void import_as(std::string_view text, std::string_view form) {
  const assay::ImportOptions options{.as = std::string(form), .k = 16, .n = form.empty() ? 0 : 8};
  const auto imported = assay::import_cases(text, kFile, options);
  if (!imported) {
    const std::string& message = imported.error().message;
    ASSAY_REQUIRE(message.find(kFile) != std::string::npos, message);
    ASSAY_REQUIRE(message.find('\n') == std::string::npos, message);
    if (form.empty() && assay::wants_notes()) {
      assay::note("refused_" + assay::message_words(message.substr(kFile.size())));
    }
    return;
  }
  if (form.empty() && assay::wants_notes()) {
    assay::note(imported->form + "_cases_" + std::to_string(imported->cases.size()));
  }
  ASSAY_REQUIRE(!imported->cases.empty());
  const auto cases = assay::parse_case_list(assay::case_lines(*imported), "lines");
  ASSAY_REQUIRE(cases.has_value(), cases ? "" : cases.error().message);
  ASSAY_REQUIRE(cases->size() == imported->cases.size(), cases->size(), imported->cases.size());
  for (std::size_t i = 0; i < cases->size(); ++i) {
    ASSAY_REQUIRE((*cases)[i] == imported->cases[i].spec, i);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  import_as(text, "");
  for (const assay::ImportFormName& form : assay::import_form_names()) {
    import_as(text, form.name);
  }
  return 0;
}
