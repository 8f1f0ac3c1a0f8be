// Explaining failures: the case that comes out wrong made small, the earlier calls that it needs,
// and the mistake that it shows.
#pragma once

#include "src/campaign/certify.h"

namespace assay {

// In a session that has made other calls; `open` gives fresh ones.
Finding explain_in(Session& session, const std::string& kernel, const Failure& failure,
                   const OpenSession& open, const CertifyOptions& options);

// All failures of a run, several at once in the sessions that the run has left open; first one of
// each that look alike. The time for it begins when the sessions are there. An error is the
// observer's.
Status explain_all(const std::string& kernel, const OpenSession& open,
                   const CertifyOptions& options, Certification& result);

}  // namespace assay
