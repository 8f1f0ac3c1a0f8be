#include "src/record/code_json.h"

#include <algorithm>
#include <limits>

#include "src/core/text.h"

namespace assay {
namespace {

Json row_json(const CodeRow& row) {
  Json json{{"name", row.name}, {"kind", code_kinds()[static_cast<std::size_t>(row.kind)]}};
  if (!row.version.empty()) { json["version"] = row.version; }
  if (!row.sha256.empty()) { json["sha256"] = row.sha256; }
  if (!row.build_id.empty()) { json["buildId"] = row.build_id; }
  if (row.files != 1) { json["files"] = row.files; }
  return json;
}

bool is_hex(const std::string& text) {
  return text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Status read_row(const Json& json, CodeRow& row) {
  if (!json.is_object()) { return make_error(quoted(json) + " is not an object"); }
  JsonObject object(json, "");
  object.require("name");
  object.read("name", row.name);
  object.require("kind");
  if (const int kind = object.read_word("kind", code_kinds()); kind >= 0) {
    row.kind = static_cast<CodeRow::Kind>(kind);
  }
  object.read("version", row.version);
  object.read("sha256", row.sha256);
  object.read("buildId", row.build_id);
  object.read_index("files", 1, std::numeric_limits<Index>::max(), row.files);
  if (row.sha256.empty() == row.build_id.empty()) {
    object.fail("sha256", "is to be there, or else buildId");
  }
  if (!row.sha256.empty() && (row.sha256.size() != 64 || !is_hex(row.sha256))) {
    object.fail("sha256", quote(row.sha256) + " is not 64 lower-case hexadecimal digits");
  }
  if (!is_hex(row.build_id)) {
    object.fail("buildId", quote(row.build_id) + " is not hexadecimal");
  }
  return object.finish();
}

}  // namespace

void add_code(const CodeList& code, Json& json) {
  json["code"] = Json::array();
  for (const CodeRow& row : code.rows) { json["code"].push_back(row_json(row)); }
  json["codeNotAsked"] = code.not_asked;
}

void read_code(JsonObject& object, CodeList& to) {
  const Json* rows = object.require("code");
  if (rows && !rows->is_array()) { return object.fail("code", quoted(*rows) + " is not an array"); }
  if (rows) {
    for (const Json& item : *rows) {
      if (const Status status = read_row(item, to.rows.emplace_back()); !status) {
        object.fail("code", status.error().message);
      }
    }
  }
  object.require("codeNotAsked");
  object.read_texts("codeNotAsked", to.not_asked);
  const bool sorted = std::ranges::is_sorted(to.rows) && std::ranges::is_sorted(to.not_asked);
  if (!sorted) { object.fail("code", "is not sorted"); }
}

std::string code_text(const CodeList& code) {
  Json json = Json::object();
  add_code(code, json);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<CodeList> parse_code(std::string_view text) {
  const auto json = parse_json_object(text);
  ASSAY_TRY(json);
  JsonObject object(*json, "");
  CodeList code;
  read_code(object, code);
  ASSAY_TRY(object.finish());
  return code;
}

}  // namespace assay
