// A mistake recognised in a case as it was met, without others beside it: little work, and no more
// certain than the one case is.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "src/diagnosis/diagnose.h"

namespace assay {

// The first of the hypotheses (their names) that foretells every element of the case, right and
// wrong; nothing where none does, or where too few are wrong to tell causes apart. Two to four runs
// of the case, and no other.
std::optional<Diagnosis> recognise(Session& kernel, const CaseSpec& spec,
                                   std::span<const std::string> hypotheses);
// The first of all hypotheses that does.
std::optional<Diagnosis> recognise(Session& kernel, const CaseSpec& spec);

}  // namespace assay
