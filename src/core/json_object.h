// JsonObject: reads the fields of one JSON object strictly: every field is asked for by name, the
// first thing wrong is kept as one line, and whatever was not asked for is refused.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/core/error.h"
#include "src/core/index.h"
#include "src/core/json.h"

namespace assay {

// The whole text as one JSON object. Errors: syntax (line and column), a repeated field.
// Errors: what is not JSON and where, a repeated key, another value than an object, or one that is
// nested deeper than `levels`: a damaged text must not exhaust the stack.
Result<Json> parse_json_object(std::string_view text, int levels = 64);
bool nests_deeper(std::string_view json, int levels);

// A value as a message quotes it, shortened.
std::string quoted(const Json& value);

class JsonObject {
 public:
  // `where` names the object in messages: "" for the outermost, "arithmetic" for a nested one.
  JsonObject(const Json& object, std::string where) : object_(object), where_(std::move(where)) {}

  // The value of a field, or nullptr where it is left out.
  const Json* find(const char* field);
  // As find; a field left out is an error.
  const Json* require(const char* field);

  // Each leaves `to` as it is where the field is left out.
  void read(const char* field, std::string& to);
  void read(const char* field, bool& to);
  void read_index(const char* field, Index low, Index high, Index& to);
  // A number, or "inf", "-inf", "nan", which JSON cannot spell.
  void read_number(const char* field, double& to);
  void read_int(const char* field, int low, int high, int& to);
  // One of `words`; answers its position, or -1 where the field is left out or wrong.
  int read_word(const char* field, const std::vector<std::string_view>& words);
  // Every item of an array of strings; `take` answers false for a word that is not `allowed`.
  void read_words(const char* field, const Json* array, const std::string& allowed,
                  const std::function<bool(const std::string&)>& take);
  // An array of strings, any and again.
  void read_texts(const char* field, std::vector<std::string>& to);

  // Keeps the first message: field 'where.field': what.
  void fail(std::string_view field, const std::string& what);
  // The same for a message that names its field.
  void keep(const Error& error);
  // An error for the first thing wrong, unknown fields included.
  Status finish();

  // 'where.field', without quotes.
  std::string path_of(std::string_view field) const;

 private:
  const Json& object_;
  std::string where_;
  std::vector<std::string> known_;
  std::string error_;
};

}  // namespace assay
