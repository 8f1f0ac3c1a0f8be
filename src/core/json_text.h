// A JSON document as text, and back. The library's parser and serialiser are compiled in src/core
// alone: each source that calls them compiles for two seconds more.
#pragma once

#include <string>
#include <string_view>

#include "src/core/json.h"

namespace assay {

// Requires: strings in UTF-8; the library throws otherwise. `indent` -1 writes one line.
std::string json_text(const Json& json, int indent = -1);
// As json_text, in ASCII, whatever the strings hold.
std::string ascii_json_text(const Json& json, int indent);

// Requires: a text that is JSON, as one that was read before; the library throws otherwise.
Json parse_json(std::string_view text);
// The same; what is not JSON is_discarded().
Json try_parse_json(std::string_view text);

}  // namespace assay
