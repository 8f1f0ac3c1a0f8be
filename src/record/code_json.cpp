#include "src/record/code_json.h"

#include <algorithm>

#include "src/core/digest.h"
#include "src/core/json_object.h"
#include "src/core/text.h"

namespace assay {

void fields(JsonFields& json, CodeRow& row) {
  json("name", row.name);
  json.word("kind", row.kind, code_kinds());
  json.sparse("version", row.version);
  json.sparse("sha256", row.sha256);
  json.sparse("buildId", row.build_id);
  json.sparse("files", row.files, 1);
  if (row.files < 1) { json.fail("files", "is not an integer from 1"); }
  if (row.sha256.empty() == row.build_id.empty()) {
    json.fail("sha256", "is to be there, or else buildId");
  }
  if (!row.sha256.empty() && !is_sha256(row.sha256)) {
    json.fail("sha256", quote(row.sha256) + " is not 64 lower-case hexadecimal digits");
  }
  if (row.build_id.find_first_not_of("0123456789abcdef") != std::string::npos) {
    json.fail("buildId", quote(row.build_id) + " is not hexadecimal");
  }
}

void fields(JsonFields& json, CodeList& code) {
  json("code", code.rows);
  json("codeNotAsked", code.not_asked);
  if (!std::ranges::is_sorted(code.rows) || !std::ranges::is_sorted(code.not_asked)) {
    json.fail("code", "is not sorted");
  }
}

std::string code_text(const CodeList& code) { return compact_text(json_of(code)); }

Result<CodeList> parse_code(std::string_view text) {
  const auto json = parse_json_object(text);
  ASSAY_TRY(json);
  CodeList code;
  ASSAY_TRY(read_json(*json, "", code));
  return code;
}

}  // namespace assay
