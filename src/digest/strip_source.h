// C++ sources as a digest takes them: without comments, blanks as one space, so that a reworded
// comment or a new layout leaves a kernel's digest alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Literals stay as they are.
std::string strip_source(std::string_view text);
// A path as a depfile spells it: a blank would end it, and the digests be made again each time.
std::string in_depfile(std::string_view path);
// Names in `#include "..."`.
std::vector<std::string> quoted_includes(std::string_view text);

}  // namespace assay
