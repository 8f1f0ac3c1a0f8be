#include "properties/support/run_check.h"

#include <new>
#include <system_error>
#include <utility>

namespace assay {
namespace {

Verdict not_run(std::string reason) {
  return {.kind = VerdictKind::kNotRun, .reason = std::move(reason)};
}

Result<MemoryShare> take_memory(const Check& check, Session& kernel, const CaseSpec& spec) {
  auto share = take_memory(spec, kernel.manifest(), check.holds);
  if (share) { return share; }
  kernel.release_memory();  // what earlier cases left may be enough
  return take_memory(spec, kernel.manifest(), check.holds);
}

}  // namespace

Verdict run_check(const Check& check, Session& kernel, const CaseSpec& spec) {
  const auto share = take_memory(check, kernel, spec);
  if (!share) { return not_run(share.error().message); }
  const auto stopped = [&](std::string reason) {
    kernel.start_afresh();
    return not_run(std::move(reason));
  };
  try {
    Verdict verdict = check.run(kernel, spec);
    // Before the share goes: the next holder counts on it.
    if (share->large()) { kernel.release_memory(); }
    return verdict;
  } catch (const std::bad_alloc&) {
    return stopped("the harness ran out of memory on the case");
  } catch (const std::system_error& error) {
    return stopped(std::string("the harness ran short on the case: ") + error.what());
  }
}

}  // namespace assay
