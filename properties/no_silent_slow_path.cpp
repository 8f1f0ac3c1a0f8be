// Reports the time of a misaligned case over its aligned neighbour's; a ratio, never a verdict.
#include <fmt/format.h>

#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) {
  const Index in = size_bytes(spec.in);
  const Index out = size_bytes(spec.out);
  spec.base = {in, in, in};
  spec.base[output_role(spec.pass)] = out;
  spec.ld = {1, 1, 1};
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  Verdict verdict = judge_case_whole(kernel, spec);
  if (verdict.kind != VerdictKind::kPassed) return verdict;
  CaseSpec aligned = spec;
  aligned.base = {};
  aligned.ld = {};
  const double slow = best_seconds(kernel, problem_for(spec, manifest), verdict);
  const double fast = best_seconds(kernel, problem_for(aligned, manifest), verdict);
  if (fast > 0) verdict.reason = fmt::format("{:.2f} times the aligned case's time", slow / fast);
  return verdict;
}

}  // namespace

Check no_silent_slow_path() {
  return {.name = "no_silent_slow_path",
          .sentence = "Reports the time of a misaligned case over its aligned neighbour's.",
          .field_bug =
              "unaligned shapes that fall back to a path many times slower (kinds L, Y); "
              "a measurement",
          .not_applicable = [](const Manifest& manifest) -> std::optional<std::string> {
            if (manifest.base_bytes <= 2 && manifest.ld_multiple == 1) return std::nullopt;
            return "the manifest excludes misaligned operands";
          },
          .prepare = prepare,
          .run = run};
}

}  // namespace assay
