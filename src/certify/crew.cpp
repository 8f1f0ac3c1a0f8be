#include "src/certify/crew.h"

#include "src/certify/record/record_lines.h"
#include "src/problem/case_text.h"

namespace assay {

Status work_for_crew(const Profile& profile, const BatteryNames& names, const OpenSession& open,
                     const RunProfileOptions& options, const Exchange& exchange) {
  auto session = open(options.deadline_seconds);
  if (!session) return tl::unexpected(session.error());
  const Manifest& manifest = (*session)->manifest();
  const auto plan = make_plan(
      profile, names, manifest,
      {.seed_shift = options.seed_shift, .filter = options.filter, .shard = options.shard});
  if (!plan) return tl::unexpected(plan.error());
  std::string line;
  while (const auto job = exchange(line)) {
    CaseRecord record;
    const CaseSpec spec = plan->draw(*job, manifest);
    record.line = canonical_text(spec);
    record.result = run_job(*plan, manifest, **session, *job, spec, record.verdict);
    line = case_line(*job, plan->check(*job), record);
  }
  return {};
}

}  // namespace assay
