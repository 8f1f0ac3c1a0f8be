#include "src/record/rank_pool.h"

#include "src/campaign/code_ledger.h"
#include "src/problem/case_text.h"
#include "src/record/record_lines.h"

namespace assay {

Status work_for_pool(const Profile& profile, const Registry& names, const OpenSession& open,
                     const RunProfileOptions& options, const RankLink& link) {
  auto session = open(options.deadline_seconds);
  ASSAY_TRY(session);
  const Manifest& manifest = (*session)->manifest();
  const auto plan = make_plan(
      profile, names, manifest,
      {.seed_shift = options.seed_shift, .filter = options.filter, .shard = options.shard});
  ASSAY_TRY(plan);
  CodeLedger code((*session)->kernel_spec(), [&](const CodeList& list) -> Status {
    link.tell_code(list);
    return {};
  });
  ASSAY_TRY(code.ask(**session));
  std::string line;
  while (const auto job = link.exchange(line)) {
    CaseRecord record;
    const CaseSpec spec = plan->draw(*job, manifest);
    record.line = canonical_text(spec);
    record.result = run_job(*plan, manifest, **session, *job, spec, record.verdict);
    if ((*session)->loaded_more()) { ASSAY_TRY(code.ask(**session)); }
    line = case_line(*job, plan->check(*job), record);
  }
  const auto all = code.close({session->get()});
  ASSAY_TRY(all);
  link.tell_last_code(*all);
  return {};
}

}  // namespace assay
