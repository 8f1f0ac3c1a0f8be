#include "src/core/json_object.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/core/text.h"

namespace assay {
namespace {

constexpr std::size_t kQuotedLength = 40;

struct Place {
  std::size_t line = 1, column = 1;
};

Place place_of(std::string_view text, std::size_t byte) {
  Place place;
  for (const char c : text.substr(0, std::min(byte, text.size()))) {
    place.column = c == '\n' ? 1 : place.column + 1;
    place.line += c == '\n' ? 1 : 0;
  }
  return place;
}

// Sees every key before the document is built, where a repeated one would silently replace the
// first.
class RepeatedKeys {
 public:
  bool operator()(int /*depth*/, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) {
      open_.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open_.pop_back();
    } else if (event == Json::parse_event_t::key && !repeated_) {
      const auto key = parsed.get<std::string>();
      if (!open_.back().insert(key).second) { repeated_ = key; }
    }
    return true;
  }
  const std::optional<std::string>& repeated() const { return repeated_; }

 private:
  std::vector<std::set<std::string>> open_;
  std::optional<std::string> repeated_;
};

// nlohmann's text after its own place and error number, which ours replace.
std::string syntax_reason(const std::string& what) {
  const std::size_t colon = what.find(": ");
  return colon == std::string::npos ? what : what.substr(colon + 2);
}

}  // namespace

bool nests_deeper(std::string_view json, int levels) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (in_text) {
      if (c == '\\') { ++at; }
      in_text = c != '"';
    } else {
      in_text = c == '"';
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      if (depth > levels) { return true; }
    }
  }
  return false;
}

Result<Json> parse_json_object(std::string_view text, int levels) {
  if (nests_deeper(text, levels)) {
    return make_error(fmt::format("nested deeper than {} levels", levels));
  }
  RepeatedKeys keys;
  Json document;
  try {
    document = Json::parse(text.begin(), text.end(), std::ref(keys));
  } catch (const Json::parse_error& error) {
    const Place place = place_of(text, error.byte == 0 ? 0 : error.byte - 1);
    return make_error(fmt::format("not JSON at line {} column {}: {}", place.line, place.column,
                                  one_line(syntax_reason(error.what()))));
  } catch (const Json::exception& error) {
    return make_error(fmt::format("not JSON: {}", error.what()));
  }
  if (keys.repeated()) {
    return make_error(
        fmt::format("field {} is repeated: each is given once", quote(*keys.repeated())));
  }
  if (!document.is_object()) {
    return make_error(
        fmt::format("{} is not a JSON object: {{\"name\": ...}} is expected", quoted(document)));
  }
  return document;
}

std::string quoted(const Json& value) {
  return one_line(value.dump(-1, ' ', false, Json::error_handler_t::replace), kQuotedLength);
}

std::string JsonObject::path_of(std::string_view field) const {
  return where_.empty() ? std::string(field) : where_ + "." + std::string(field);
}

void JsonObject::keep(const Error& error) {
  if (error_.empty()) { error_ = error.message; }
}

void JsonObject::fail(std::string_view field, const std::string& what) {
  keep(Error{fmt::format("field {}: {}", quote(path_of(field)), what)});
}

const Json* JsonObject::find(const char* field) {
  if (std::find(known_.begin(), known_.end(), field) == known_.end()) {
    known_.emplace_back(field);
  }
  const auto found = object_.find(field);
  return found == object_.end() ? nullptr : &*found;
}

const Json* JsonObject::require(const char* field) {
  const Json* value = find(field);
  if (value == nullptr) { fail(field, "is missing"); }
  return value;
}

void JsonObject::read(const char* field, std::string& to) {
  const Json* value = find(field);
  if (value == nullptr) { return; }
  if (!value->is_string()) {
    return fail(field, fmt::format("{} is not a string", quoted(*value)));
  }
  to = value->get<std::string>();
}

void JsonObject::read(const char* field, bool& to) {
  const Json* value = find(field);
  if (value == nullptr) { return; }
  if (!value->is_boolean()) {
    return fail(field, fmt::format("{} is neither true nor false", quoted(*value)));
  }
  to = value->get<bool>();
}

void JsonObject::read_index(const char* field, Index low, Index high, Index& to) {
  const Json* value = find(field);
  if (value == nullptr) { return; }
  const bool fits = value->is_number_integer() &&
                    (!value->is_number_unsigned() ||
                     value->get<std::uint64_t>() <= static_cast<std::uint64_t>(high));
  if (!fits || value->get<Index>() < low || value->get<Index>() > high) {
    return fail(field,
                fmt::format("{} is not an integer from {} to {}", quoted(*value), low, high));
  }
  to = value->get<Index>();
}

void JsonObject::read_number(const char* field, double& to) {
  const Json* value = find(field);
  if (value == nullptr) { return; }
  if (value->is_number()) {
    to = value->get<double>();
    return;
  }
  const std::string word = value->is_string() ? value->get<std::string>() : "";
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word == "inf" || word == "-inf" || word == "nan") {
    to = word == "inf" ? kInfinity : word == "nan" ? std::nan("") : -kInfinity;
    return;
  }
  fail(field, fmt::format("{} is not a number, \"inf\", \"-inf\" or \"nan\"", quoted(*value)));
}

void JsonObject::read_int(const char* field, int low, int high, int& to) {
  Index wide = to;
  read_index(field, low, high, wide);
  to = static_cast<int>(wide);
}

int JsonObject::read_word(const char* field, const std::vector<std::string_view>& words) {
  const Json* value = find(field);
  if (value == nullptr) { return -1; }
  if (value->is_string()) {
    const auto found = std::find(words.begin(), words.end(), value->get<std::string>());
    if (found != words.end()) { return static_cast<int>(found - words.begin()); }
  }
  fail(field, fmt::format("{} is none of {}", quoted(*value), fmt::join(words, ", ")));
  return -1;
}

void JsonObject::read_words(const char* field, const Json* array, const std::string& allowed,
                            const std::function<bool(const std::string&)>& take) {
  if (array == nullptr) { return; }
  if (!array->is_array()) {
    return fail(field, fmt::format("{} is not an array of {}", quoted(*array), allowed));
  }
  std::set<std::string> seen;
  for (const Json& item : *array) {
    if (!item.is_string() || !take(item.get<std::string>())) {
      return fail(field, fmt::format("{} is none of {}", quoted(item), allowed));
    }
    if (!seen.insert(item.get<std::string>()).second) {
      return fail(field, fmt::format("{} is listed twice", quoted(item)));
    }
  }
}

void JsonObject::read_texts(const char* field, std::vector<std::string>& to) {
  const Json* array = find(field);
  if (array == nullptr) { return; }
  if (!array->is_array()) { return fail(field, quoted(*array) + " is not an array of texts"); }
  for (const Json& item : *array) {
    if (!item.is_string()) { return fail(field, quoted(item) + " is not a text"); }
    to.push_back(item.get<std::string>());
  }
}

Status JsonObject::finish() {
  for (const auto& [field, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), field) == known_.end()) {
      return make_error(fmt::format("unknown field {}: allowed are {}", quote(path_of(field)),
                                    fmt::join(known_, ", ")));
    }
  }
  if (!error_.empty()) { return make_error(error_); }
  return {};
}

}  // namespace assay
