// What `assay verify` says: names and reasons are the certificate's, which may be anybody's.
#include <algorithm>

#include <fmt/format.h>

#include "src/certificate/verify.h"
#include "src/core/counted.h"
#include "src/core/text.h"

namespace assay {
namespace {

// The waiver of each check that is waived, and the others, which cover nothing.
struct SortedWaivers {
  std::vector<const Waiver*> covering, idle;
};
SortedWaivers sorted(const Certificate& certificate) {
  SortedWaivers waivers;
  for (const Waiver& waiver : certificate.waivers) {
    const bool waived = std::ranges::any_of(certificate.checks, [&](const CertifiedCheck& check) {
      return check.name == waiver.check && check.status == "WAIVED";
    });
    const bool first = std::ranges::none_of(
        waivers.covering, [&](const Waiver* other) { return other->check == waiver.check; });
    (waived && first ? waivers.covering : waivers.idle).push_back(&waiver);
  }
  return waivers;
}

std::string accepted_line(const Certificate& certificate, const SortedWaivers& waivers) {
  std::string text =
      fmt::format("accepted: {} ({}) passed {}", name_text(certificate.kernel_name),
                  name_text(certificate.device), name_text(certificate.profile_name));
  for (const Waiver* waiver : waivers.covering) {
    text += fmt::format("{} {}, {}", waiver == waivers.covering.front() ? " but for" : "; and",
                        name_text(waiver->check), waiver_text(*waiver));
  }
  const auto with_status = [&](std::string_view status) {
    return std::ranges::count(certificate.checks, status, &CertifiedCheck::status);
  };
  const auto passed = with_status("PASSED");
  text += fmt::format("{} on {}, {}, {} passed", waivers.covering.empty() ? "" : ";",
                      certificate.finished_at, counted(certificate.domain.total(), "case"),
                      counted(passed, "check"));
  if (const auto measured = with_status("MEASURED"); measured > 0) {
    text += fmt::format(", {} only measured", measured);
  }
  if (!certificate.environment.gpu.empty()) {
    text += ", on " + one_line(certificate.environment.gpu, kNameLength);
  }
  return text + "\n";
}

}  // namespace

std::string verification_text(const std::string& file, const Verification& verification) {
  if (!verification.accepted()) {
    return fmt::format("rejected: {}: {}\n", one_line(file),
                       one_line(verification.wrong, kSentenceLength));
  }
  const Certificate& certificate = verification.certificate;
  const SortedWaivers waivers = sorted(certificate);
  std::string text = accepted_line(certificate, waivers);
  for (const Waiver* waiver : waivers.idle) {
    text += fmt::format("  {}, which covers nothing: {}\n", name_text(waiver->check),
                        waiver_text(*waiver));
  }
  for (const std::string& note : verification.notes) {
    text += fmt::format("  {}\n", one_line(note, kSentenceLength));
  }
  return text;
}

}  // namespace assay
