// The list of code that ran as JSON: in the record of a run, between ranks, in the report as JSON
// and in the certificate.
#pragma once

#include <string>
#include <string_view>

#include "src/campaign/code_list.h"
#include "src/core/json_fields.h"

namespace assay {

void fields(JsonFields& json, CodeRow& row);
// Fields `code`, an array, and `codeNotAsked`, texts.
void fields(JsonFields& json, CodeList& code);

// As one line; and back. Errors: what is missing or wrong, unknown fields.
std::string code_text(const CodeList& code);
Result<CodeList> parse_code(std::string_view text);

}  // namespace assay
