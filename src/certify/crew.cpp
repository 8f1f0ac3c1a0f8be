#include "src/certify/crew.h"

#include "src/certify/code_ledger.h"
#include "src/certify/record/record_lines.h"
#include "src/problem/case_text.h"

namespace assay {

Status work_for_crew(const Profile& profile, const BatteryNames& names, const OpenSession& open,
                     const RunProfileOptions& options, const CrewLink& link) {
  auto session = open(options.deadline_seconds);
  if (!session) return tl::unexpected(session.error());
  const Manifest& manifest = (*session)->manifest();
  const auto plan = make_plan(
      profile, names, manifest,
      {.seed_shift = options.seed_shift, .filter = options.filter, .shard = options.shard});
  if (!plan) return tl::unexpected(plan.error());
  CodeLedger code((*session)->kernel_spec(), [&](const CodeList& list) -> Status {
    link.tell_code(list);
    return {};
  });
  if (const Status named = code.ask(**session); !named) return named;
  std::string line;
  while (const auto job = link.exchange(line)) {
    CaseRecord record;
    const CaseSpec spec = plan->draw(*job, manifest);
    record.line = canonical_text(spec);
    record.result = run_job(*plan, manifest, **session, *job, spec, record.verdict);
    if ((*session)->loaded_more())
      if (const Status named = code.ask(**session); !named) return named;
    line = case_line(*job, plan->check(*job), record);
  }
  const auto all = code.close({session->get()});
  if (!all) return tl::unexpected(all.error());
  link.tell_last_code(*all);
  return {};
}

}  // namespace assay
