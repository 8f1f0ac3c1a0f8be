// Import: case lines from what people have of their routings and shapes: expert ids of tokens,
// loads of experts, splits, and other projects' lists of shapes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/error.h"
#include "src/problem/case_spec.h"

namespace assay {

// What the user says. k, n and experts are of files that do not say them; the rest goes before what
// a file says.
struct ImportOptions {
  std::string as{};  // a form's name; empty: the content tells
  Index k = 0, n = 0, experts = 0;
  Index top_k = 1;  // experts of a token, where a file counts tokens
  std::vector<Pass> passes{};
  std::optional<Inputs> in{};
  std::optional<Output> out{};
  std::optional<OffsetsKind> offsets{};
  std::optional<WeightsLayout> weights{};
  Fill fill = Fill::kIntegers;
};

struct ImportedCase {
  CaseSpec spec{};
  std::string where{};  // its place in the file
};

struct Imported {
  std::string form{};  // its name
  std::vector<ImportedCase> cases{};
  std::vector<std::string> notes{};  // for people: what was assumed, and what was left out
};

// Errors: `file: ` or `file:line: `, the word quoted, and what is allowed; a text of no known form;
// k or n that neither file nor user says. A case that comes again is left out, and counted.
Result<Imported> import_cases(std::string_view text, const std::string& file,
                              const ImportOptions& options);

// One case a line, with its place as a comment: parse_case_list reads it.
std::string case_lines(const Imported& imported);

// For help and messages: `ids`, and what such a file holds.
struct ImportFormName {
  std::string_view name, summary;
};
std::vector<ImportFormName> import_form_names();

}  // namespace assay
