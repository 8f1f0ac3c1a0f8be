// Whether the files of code that a certificate rests on are still what they were, without loading
// any of them.
#pragma once

#include <string>
#include <vector>

#include "src/campaign/code_list.h"
#include "src/core/error.h"

namespace assay {

// `depends` are files that the user names; others are looked for where the artifact (a file, or "")
// would find them. Answers the first that differs, in words, or nothing; what could not be compared
// and what differs in the system is noted. Errors: a file of `depends` that cannot be read.
Result<std::string> check_code(const CodeList& code, const std::string& artifact,
                               const std::vector<std::string>& depends,
                               std::vector<std::string>& notes);

}  // namespace assay
