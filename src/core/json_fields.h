// JsonFields: the fields of one JSON object, written or read by one description of a struct:
//   void fields(JsonFields& json, Harness& harness) { json("version", harness.version); }
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "src/core/error.h"
#include "src/core/index.h"
#include "src/core/json.h"

namespace assay {

class JsonObject;

// What an integer may be when it is read.
struct Within {
  Index low = 0, high = std::numeric_limits<Index>::max();
};

class JsonFields {
 public:
  using Describe = std::function<void(JsonFields& json)>;
  using Words = std::vector<std::string_view>;

  explicit JsonFields(Json& to) : to_(&to) {}
  // Errors are the object's: the first thing wrong, by JsonObject::finish.
  explicit JsonFields(JsonObject& from) : from_(&from) {}

  bool reads() const { return from_ != nullptr; }

  // Always written; missing, it is an error. A struct is described by its fields(json, value), a
  // vector is an array, an empty optional is null.
  template <class T, class... Rest>
  void operator()(const char* field, T& value, const Rest&... rest) {
    require(field);
    lenient(field, value, rest...);
  }
  // Always written; older texts may lack it, which leaves the value as it is.
  void lenient(const char* field, std::string& value);
  void lenient(const char* field, bool& value);
  void lenient(const char* field, double& value);  // JSON's missing ones as "inf", "-inf", "nan"
  void lenient(const char* field, int& value, const Within& within = {});
  void lenient(const char* field, Index& value, const Within& within = {});
  void lenient(const char* field, std::uint64_t& value);
  void lenient(const char* field, std::optional<double>& value);
  void lenient(const char* field, std::vector<std::string>& value);
  void lenient(const char* field, std::vector<std::uint64_t>& value);
  void lenient(const char* field, std::map<std::string, Index>& value);
  template <class T>
  void lenient(const char* field, std::optional<T>& value) {
    nullable(field, value.has_value(), [&](JsonFields& json) {
      if (reads()) { value.emplace(); }
      fields(json, *value);
    });
  }
  template <class T>
  void lenient(const char* field, std::vector<T>& list) {
    array(
        field, list.size(), [&](std::size_t size) { list.resize(size); },
        [&](JsonFields& json, std::size_t at) { fields(json, list[at]); });
  }
  template <class T>
  void lenient(const char* field, T& value) {
    object(field, [&](JsonFields& json) { fields(json, value); });
  }
  // Left out where it is `otherwise`.
  template <class T>
  void sparse(const char* field, T& value, const std::type_identity_t<T>& otherwise = {}) {
    if (reads() || !(value == otherwise)) { lenient(field, value); }
  }

  // One of `words`, by its place among them.
  template <class T>
  void word(const char* field, T& value, const Words& words) {
    auto at = static_cast<int>(value);
    require(field);
    place(field, at, words);
    value = static_cast<T>(at);
  }
  void word(const char* field, std::string& value, const Words& words);
  // Always this word: it tells formats apart.
  void constant(const char* field, std::string_view word);
  // A field that must be there, as text. Errors: those of `read`.
  void text(const char* field, const std::function<std::string()>& write,
            const std::function<Status(const std::string& text)>& read);
  // A field that must be there, of whatever form. Errors: those of `read`.
  void raw(const char* field, const std::function<Json()>& write,
           const std::function<Status(const Json& value)>& read);
  // Written for people, and not read.
  void note(const char* field, const Json& value);
  // A struct, or a group of fields, that must be there.
  void object(const char* field, const Describe& describe);
  // Null where there is nothing; null and nothing are not read.
  void nullable(const char* field, bool there, const Describe& describe);
  void array(const char* field, std::size_t size, const std::function<void(std::size_t)>& resize,
             const std::function<void(JsonFields& json, std::size_t at)>& describe);

  // Keeps the first message; writing, does nothing.
  void fail(const char* field, const std::string& what);

 private:
  void require(const char* field);
  const Json* find(const char* field);  // null where it is written
  Json& put(const char* field);
  void place(const char* field, int& at, const Words& words);
  void within(const std::string& field, const Json& value, const Describe& describe);

  Json* to_ = nullptr;
  JsonObject* from_ = nullptr;
};

// A number as JSON has it, or "inf", "-inf", "nan".
Json number_json(double value);

// The object of a description, and back. `where` names the object in messages, as JsonObject's.
Json written(const JsonFields::Describe& describe);
Status read_fields(const Json& json, const std::string& where,
                   const JsonFields::Describe& describe);

// The same of what fields(json, value, rest...) describes.
template <class T, class... Rest>
auto json_of(const T& value, const Rest&... rest) {
  return written([&](JsonFields& json) { fields(json, const_cast<T&>(value), rest...); });
}
template <class T, class... Rest>
Status read_json(const Json& json, const std::string& where, T& to, const Rest&... rest) {
  return read_fields(json, where, [&](JsonFields& object) { fields(object, to, rest...); });
}

// A text that is one object, read by a description. Errors: `file: ` and what is wrong.
Status parse_fields(std::string_view text, std::string_view file,
                    const JsonFields::Describe& describe);

// In one line; bytes that are not UTF-8 are replaced.
std::string compact_text(const Json& json);

}  // namespace assay
