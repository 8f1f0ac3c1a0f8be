// A case that a test writes down, and its problem.
#pragma once

#include <string_view>

#include <gtest/gtest.h>

#include "src/problem/case_text.h"
#include "src/problem/problem.h"

namespace assay {

inline CaseSpec parsed(std::string_view text) {
  const Result<CaseSpec> spec = parse_case(text);
  EXPECT_TRUE(spec.has_value()) << text << ": " << (spec ? "" : spec.error().message);
  return spec.value_or(CaseSpec{});
}

inline Problem made(std::string_view text) { return make_problem(parsed(text)); }

}  // namespace assay
