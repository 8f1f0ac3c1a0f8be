// What plain runs of a case show besides wrong elements.
#pragma once

#include <string>

#include "src/diagnosis/diagnose.h"

namespace assay {

// A call that left something changed around it is explained by that, whatever it computed.
bool diagnose_what_it_left(Session& kernel, const CaseSpec& spec, Diagnosis& diagnosis);

// Whether it writes what is not its own, beside elements that are right. What a kernel leaves in a
// stray byte may be one poison's pattern.
bool diagnose_under_both_poisons(Session& kernel, const CaseSpec& spec, Diagnosis& diagnosis);

// A call's routing kept for the next one of the same size: one of the case and its mirror image is
// wrong after the other, and only then. Which one depends on whose routing was kept first.
bool follows_the_call_before(Session& kernel, const CaseSpec& spec);

// `a plain run returns an error: ...`; nothing where it gives a result.
std::string how_a_plain_run_ends(Session& kernel, const CaseSpec& spec);

}  // namespace assay
