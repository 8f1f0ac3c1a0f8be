// A count with its noun, as a message says it.
#pragma once

#include <string>
#include <string_view>

#include "src/core/index.h"

namespace assay {

// `1 thread`, `2 threads`; digits as they come, or as `count_text` writes them.
inline std::string counted(Index count, std::string_view noun, std::string count_text = "") {
  if (count_text.empty()) { count_text = std::to_string(count); }
  return count_text + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace assay
