#include "src/cli/kernel_options.h"

#include <fmt/format.h>

#include "properties/support/case_run.h"
#include "src/cli/command.h"
#include "src/core/text.h"
#include "src/probe/probe.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr Check kWholeJudgement{
    .name = "whole_judgement",
    .summary = "The run ends well, changes nothing else, and every owned element is right.",
    .guards_against = "any",
    .not_applicable = nullptr,
    .prepare = nullptr,
    .run = judge_case_whole};

}  // namespace

void add_load_seconds(CLI::App& app, Opening& opening) {
  app.add_option("--load-seconds", opening.load_seconds,
                 "seconds that loading the kernel may take, imports and compilation among them")
      ->check(positive_seconds())
      ->capture_default_str();
}

OpenSession opener_of(const std::string& kernel, const Opening& opening) {
  return [kernel, opening](double deadline_seconds) {
    if (opening.in_process) { return open_in_process_session(kernel); }
    return open_worker_session(kernel, {.deadline_seconds = deadline_seconds,
                                        .load_seconds = opening.load_seconds,
                                        .worker_path = ""});
  };
}

Result<OpenSession> complete_opener_of(const std::string& kernel, const Opening& opening) {
  auto completed = complete(opener_of(kernel, opening));
  ASSAY_TRY(completed);
  if (completed->report) {
    fmt::print(stderr, "{} declares too little; as probed:\n{}\n", name_text(kernel),
               probe_table(*completed->report));
  }
  return completed->open;
}

Result<const Check*> check_named(const std::string& name) {
  if (name.empty() || name == kWholeJudgement.name) { return &kWholeJudgement; }
  const Registry names = every_name();
  if (const Check* check = names.check(name)) { return check; }
  std::string allowed(kWholeJudgement.name);
  for (const Check& check : names.checks) { allowed += fmt::format(", {}", check.name); }
  return make_error(fmt::format("{}; allowed: {}", unknown_check(name), allowed));
}

Result<CaseSpec> case_of(const std::vector<std::string>& words) {
  return parse_case(fmt::format("{}", fmt::join(words, " ")));
}

}  // namespace assay
