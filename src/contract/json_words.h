// Fields of a manifest that hold one of a few words.
#pragma once

#include <string_view>
#include <vector>

#include "src/core/json_object.h"

namespace assay {

// A field that names one of an enumeration's values, listed in their order.
template <class Enum>
void read_enum(JsonObject& object, const char* field, const std::vector<std::string_view>& words,
               Enum& to) {
  const int position = object.read_word(field, words);
  if (position >= 0) { to = static_cast<Enum>(position); }
}

inline void read_flag(JsonObject& object, const char* field, std::string_view no,
                      std::string_view yes, bool& to) {
  const int position = object.read_word(field, {no, yes});
  to = position >= 0 ? position == 1 : to;
}

}  // namespace assay
