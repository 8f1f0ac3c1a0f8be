// CaseClass: a feature of cases that kernels are known to break on; a battery that hardly draws it
// proves little about it.
#pragma once

#include <span>
#include <string_view>

#include "src/problem/case_spec.h"

namespace assay {

struct CaseClass {
  std::string_view
      group;  // routing, experts, counts, shape, memory, convention, pass, format, fill
  std::string_view name;
  bool (*holds)(const CaseSpec& spec);
};

// One row a class, those of a group together. A case may be in many.
std::span<const CaseClass> all_case_classes();

}  // namespace assay
