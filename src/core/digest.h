// SHA-256 of texts and files, in hexadecimal.
#pragma once

#include <string>
#include <string_view>

#include "src/core/error.h"

namespace assay {

std::string sha256_hex(std::string_view bytes);
bool is_sha256(std::string_view text);  // 64 lower-case hexadecimal digits
// Errors: the path and the system's reason.
Result<std::string> sha256_of_file(const std::string& path);

}  // namespace assay
