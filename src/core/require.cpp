#include "src/core/require.h"

#include <cstdio>
#include <cstdlib>

namespace assay {

void require_failed(const char* expression, const char* file, int line, const std::string& values) {
  std::fprintf(stderr, "assay: broken invariant at %s:%d: %s%s%s\n", file, line, expression,
               values.empty() ? "" : "; values:", values.c_str());
  std::abort();
}

}  // namespace assay
