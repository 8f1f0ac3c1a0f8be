#include "src/problem/packing.h"

#include <numeric>

#include "src/problem/row_layout.h"

namespace assay {

void use_whole_bytes(CaseSpec& spec, Index k_multiple, Index n_multiple) {
  for (const Role role : kAllRoles) {
    const Index packed = traits(format_of(spec, role)).packed();
    if (packed == 1) { continue; }
    const bool along_k = contiguous_axis(spec, role) == Axis::kK;
    Index& size = along_k ? spec.k : spec.n;
    size = align_up(size, std::lcm(packed, along_k ? k_multiple : n_multiple));
    spec.ld[role] = align_up(spec.ld[role], packed);
    if (role == Role::kW) { spec.wpitch = align_up(spec.wpitch, packed); }
  }
}

}  // namespace assay
