// A manifest of two passes, with whatever fields a test adds.
#pragma once

#include <string>

#include "src/contract/manifest.h"

namespace assay {

inline std::string with_required(const std::string& fields) {
  constexpr const char* kRequired =
      R"("name": "k", "passes": ["fwd", "wgrad"], "formats": [{"in": "bf16", "out": "bf16"},
    {"in": "bf16", "out": "fp32"}], "weights": ["enk"], "offsets": ["ends", "indptr:i64"])";
  return "{" + std::string(kRequired) + (fields.empty() ? "" : ", " + fields) + "}";
}

inline Manifest manifest_with(const std::string& fields) {
  return parse_manifest(with_required(fields)).value();
}

}  // namespace assay
