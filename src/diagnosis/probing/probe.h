// Probing: what a wrong kernel does in place of the product, asked of the kernel itself where no
// hypothesis foretells its output: what each output was multiplied from (OperandMap), and at which
// sizes it is wrong.
#pragma once

#include <optional>
#include <string>

#include "src/diagnosis/evidence.h"
#include "src/harness/call/session.h"

namespace assay {

struct Probed {
  std::string hypothesis;  // its name
  std::string sentence;    // the evidence, for people
  std::string where;       // at which sizes, as only_where says it; part of the sentence, too
  double share = 0;        // of the wrong elements that stand where it says
};

// Of a case that is wrong in a plain run. Nothing where the probes are all answered rightly.
std::optional<Probed> probe(Session& kernel, const Evidence& evidence);

// `only where an expert has exactly 7 rows`; empty where neighbouring sizes are as wrong, too. At
// most kMostTriedSizes runs.
inline constexpr int kMostTriedSizes = 16;
std::string only_where(Session& kernel, const Evidence& evidence);

}  // namespace assay
