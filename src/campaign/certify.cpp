#include "src/campaign/certify.h"

#include <chrono>
#include <utility>

#include "src/campaign/explain.h"
#include "src/campaign/join_findings.h"

namespace assay {

Result<Certification> certify(const std::string& kernel, const Profile& profile,
                              const Registry& names, const OpenSession& open,
                              const CertifyOptions& options) {
  RunProfileOptions run_options = options.run;
  if (options.observer) { run_options.observer = options.observer; }
  auto run = run_profile(profile, names, open, run_options);
  ASSAY_TRY(run);
  Certification result{.kernel = kernel,
                       .profile = profile.name,
                       .profile_certifies = profile.certifies(run->manifest.device),
                       .run = std::move(*run)};
  const auto start = std::chrono::steady_clock::now();
  ASSAY_TRY(explain_all(kernel, open, options, result));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  result.explain_seconds = taken.count();
  result.findings = join_findings(std::move(result.findings));
  if (options.observer) { ASSAY_TRY(options.observer->ended(result.run)); }
  return result;
}

}  // namespace assay
