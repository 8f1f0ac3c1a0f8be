// Files and folders, read and written whole.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "src/core/error.h"

namespace assay {

// The whole file. Errors: the path and the system's reason.
Result<std::string> read_file(const std::string& path);
// The same piece by piece, for files that may be large.
Status for_each_piece(const std::string& path, const std::function<void(std::string_view)>& take);

// `-` is stdout, and so is what it goes to. A file is written beside its place and renamed, so that
// nobody reads half of it; a device or a pipe is written to.
// Errors: the path and the system's reason.
Status write_file(const std::string& path, const std::string& text);
// A folder to write into, made where it is missing. Errors: the path and the system's reason.
Status make_folder(const std::string& path);
// The same refusal before a long run: whether write_file can be expected to succeed.
Status can_write_file(const std::string& path);

}  // namespace assay
