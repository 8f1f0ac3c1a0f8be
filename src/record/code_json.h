// The list of code that ran as JSON, written and read: in the record of a run, between ranks, in
// the report as JSON and in the certificate.
#pragma once

#include <string>
#include <string_view>

#include "src/campaign/code_list.h"
#include "src/core/json_object.h"

namespace assay {

// Fields `code`, an array of {name, kind, version?, sha256 | buildId, files?}, and `codeNotAsked`,
// texts.
void add_code(const CodeList& code, Json& json);
void read_code(JsonObject& object, CodeList& to);

// The same alone, as one line; and back. Errors: what is missing or wrong, unknown fields.
std::string code_text(const CodeList& code);
Result<CodeList> parse_code(std::string_view text);

}  // namespace assay
