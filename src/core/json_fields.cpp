#include "src/core/json_fields.h"

#include <cmath>

#include <fmt/format.h>

#include "src/core/json_object.h"
#include "src/core/text.h"

namespace assay {

Json number_json(double value) {
  if (std::isnan(value)) { return "nan"; }
  if (std::isinf(value)) { return value > 0 ? "inf" : "-inf"; }
  return value;
}

void JsonFields::require(const char* field) {
  if (from_) { from_->require(field); }
}

const Json* JsonFields::find(const char* field) { return from_ ? from_->find(field) : nullptr; }

Json& JsonFields::put(const char* field) { return (*to_)[field]; }

void JsonFields::fail(const char* field, const std::string& what) {
  if (from_) { from_->fail(field, what); }
}

void JsonFields::lenient(const char* field, std::string& value) {
  if (to_) { put(field) = value; }
  if (from_) { from_->read(field, value); }
}

void JsonFields::lenient(const char* field, bool& value) {
  if (to_) { put(field) = value; }
  if (from_) { from_->read(field, value); }
}

void JsonFields::lenient(const char* field, double& value) {
  if (to_) { put(field) = number_json(value); }
  if (from_) { from_->read_number(field, value); }
}

void JsonFields::lenient(const char* field, int& value, const Within& within) {
  const Within narrow{within.low, std::min<Index>(within.high, std::numeric_limits<int>::max())};
  Index wide = value;
  lenient(field, wide, narrow);
  value = static_cast<int>(wide);
}

void JsonFields::lenient(const char* field, Index& value, const Within& within) {
  if (to_) { put(field) = value; }
  if (from_) { from_->read_index(field, within.low, within.high, value); }
}

void JsonFields::lenient(const char* field, std::uint64_t& value) {
  if (to_) { put(field) = value; }
  const Json* found = find(field);
  if (!found) { return; }
  if (!found->is_number_unsigned()) { return fail(field, quoted(*found) + " is not a count"); }
  value = found->get<std::uint64_t>();
}

void JsonFields::lenient(const char* field, std::optional<double>& value) {
  if (to_) { put(field) = value ? number_json(*value) : Json(nullptr); }
  const Json* found = find(field);
  if (found && !found->is_null()) { from_->read_number(field, value.emplace()); }
}

void JsonFields::lenient(const char* field, std::vector<std::string>& value) {
  if (to_) { put(field) = value; }
  if (from_) { from_->read_texts(field, value); }
}

void JsonFields::lenient(const char* field, std::vector<std::uint64_t>& value) {
  if (to_) { put(field) = value; }
  const Json* found = find(field);
  if (!found) { return; }
  if (!found->is_array()) { return fail(field, quoted(*found) + " is not an array of counts"); }
  for (const Json& item : *found) {
    if (!item.is_number_unsigned()) { return fail(field, quoted(item) + " is not a count"); }
    value.push_back(item.get<std::uint64_t>());
  }
}

void JsonFields::lenient(const char* field, std::map<std::string, Index>& value) {
  if (to_) { put(field) = value; }
  const Json* found = find(field);
  if (!found) { return; }
  if (!found->is_object()) { return fail(field, quoted(*found) + " is not an object of counts"); }
  for (const auto& [key, count] : found->items()) {
    if (!count.is_number_unsigned()) { return fail(field, quoted(count) + " is not a count"); }
    value[key] = count.get<Index>();
  }
}

void JsonFields::place(const char* field, int& at, const Words& words) {
  if (to_) { put(field) = words[at]; }
  const int read = from_ ? from_->read_word(field, words) : -1;
  if (read >= 0) { at = read; }
}

void JsonFields::word(const char* field, std::string& value, const Words& words) {
  if (from_) { from_->read_word(field, words); }
  (*this)(field, value);
}

void JsonFields::constant(const char* field, std::string_view word) {
  std::string text(word);
  (*this)(field, text);
  if (text != word) { fail(field, fmt::format("{} is not {}", quote(text), word)); }
}

void JsonFields::text(const char* field, const std::function<std::string()>& write,
                      const std::function<Status(const std::string& text)>& read) {
  std::string text = to_ ? write() : "";
  (*this)(field, text);
  if (to_) { return; }
  if (const Status status = read(text); !status) { fail(field, status.error().message); }
}

void JsonFields::raw(const char* field, const std::function<Json()>& write,
                     const std::function<Status(const Json& value)>& read) {
  if (to_) { put(field) = write(); }
  require(field);
  const Json* found = find(field);
  if (!found) { return; }
  if (const Status status = read(*found); !status) { fail(field, status.error().message); }
}

void JsonFields::note(const char* field, const Json& value) {
  if (to_) { put(field) = value; }
  find(field);
}

void JsonFields::within(const std::string& field, const Json& value, const Describe& describe) {
  const Status status = read_fields(value, from_->path_of(field), describe);
  if (!status) { from_->keep(status.error()); }
}

void JsonFields::object(const char* field, const Describe& describe) {
  if (to_) { put(field) = written(describe); }
  require(field);
  if (const Json* found = find(field)) { within(field, *found, describe); }
}

void JsonFields::nullable(const char* field, bool there, const Describe& describe) {
  if (to_) { put(field) = there ? written(describe) : Json(nullptr); }
  const Json* found = find(field);
  if (found && !found->is_null()) { within(field, *found, describe); }
}

void JsonFields::array(const char* field, std::size_t size,
                       const std::function<void(std::size_t)>& resize,
                       const std::function<void(JsonFields& json, std::size_t at)>& describe) {
  if (to_) { put(field) = Json::array(); }
  for (std::size_t at = 0; to_ && at < size; ++at) {
    put(field).push_back(written([&](JsonFields& json) { describe(json, at); }));
  }
  const Json* found = find(field);
  if (!found) { return; }
  if (!found->is_array()) { return fail(field, quoted(*found) + " is not an array"); }
  resize(found->size());
  for (std::size_t at = 0; at < found->size(); ++at) {
    within(fmt::format("{}[{}]", field, at), (*found)[at],
           [&](JsonFields& json) { describe(json, at); });
  }
}

Json written(const JsonFields::Describe& describe) {
  Json json = Json::object();
  JsonFields fields(json);
  describe(fields);
  return json;
}

Status read_fields(const Json& json, const std::string& where,
                   const JsonFields::Describe& describe) {
  if (!json.is_object()) {
    const std::string what = quoted(json) + " is not an object";
    return make_error(where.empty() ? what : fmt::format("field '{}': {}", where, what));
  }
  JsonObject object(json, where);
  JsonFields fields(object);
  describe(fields);
  return object.finish();
}

Status parse_fields(std::string_view text, std::string_view file,
                    const JsonFields::Describe& describe) {
  const auto json = parse_json_object(text);
  const Status status = json ? read_fields(*json, "", describe) : tl::unexpected(json.error());
  return status ? status : make_error(fmt::format("{}: {}", file, status.error().message));
}

std::string compact_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace assay
