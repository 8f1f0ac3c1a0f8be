#include "src/core/json_text.h"

#include <nlohmann/json.hpp>

namespace assay {

std::string json_text(const Json& json, int indent) { return json.dump(indent); }

std::string ascii_json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', true, Json::error_handler_t::replace);
}

Json parse_json(std::string_view text) { return Json::parse(text.begin(), text.end()); }

Json try_parse_json(std::string_view text) {
  return Json::parse(text.begin(), text.end(), nullptr, false);
}

}  // namespace assay
