#include "src/report/report.h"

#include <fmt/format.h>

#include "src/core/counted.h"
#include "src/core/json_fields.h"
#include "src/core/text.h"
#include "src/report/html.h"

namespace assay {

Result<ReportedRun> reported_run(RunRecord record, const Registry& names) {
  auto result = certification_of(record, names);
  ASSAY_TRY(result);
  return ReportedRun{std::move(record), std::move(*result)};
}

std::string verdict_sentence(const ReportedRun& run) {
  const RunHeader& header = run.record.header;
  const Tally& tally = run.result.run.tally;
  const std::string subject = fmt::format("Kernel {} ", name_text(header.artifact.name));
  const std::string under = fmt::format("profile {}", name_text(header.profile.name));
  if (tally.conclusion == Conclusion::kFailed) {
    Index failed = 0;
    for (const CheckTally& check : tally.checks) { failed += check.fails(); }
    return subject +
           (failed > 0
                ? fmt::format("fails {} of {} of {}.", failed,
                              counted(static_cast<Index>(tally.checks.size()), "check"), under)
                : fmt::format("fails {}: a waiver is broken.", under));
  }
  if (tally.conclusion == Conclusion::kIncomplete) {
    return subject + fmt::format("has no verdict under {}: {}.", under,
                                 tally.incomplete_because.empty()
                                     ? "the run is incomplete"
                                     : one_line(tally.incomplete_because[0], kSentenceLength));
  }
  const std::string cases =
      counted(tally.domain.total(), "distinct case", grouped_digits(tally.domain.total()));
  if (tally.waived() > 0) {
    return subject + fmt::format("passes {} on {}, but for {}.", under, cases,
                                 counted(tally.waived(), "waived check"));
  }
  if (run.result.certified()) {
    return subject +
           fmt::format("passes {} on {} and is certified for what was tested.", under, cases);
  }
  return subject + fmt::format("passes {} on {}, which certifies nothing: {}.", under, cases,
                               run.result.run.whole_profile ? "the profile is for quick looks"
                                                            : "a filter or another seed was used");
}

void fields(JsonFields& json, BenchFigure& figure) {
  json("name", figure.name);
  json("value", figure.value);
  json("unit", figure.unit);
  json.lenient("against", figure.against);
}

Result<std::vector<BenchFigure>> parse_bench(std::string_view text, const std::string& file) {
  std::vector<BenchFigure> figures;
  ASSAY_TRY(parse_fields(text, file, [&](JsonFields& json) { json("bench", figures); }));
  return figures;
}

}  // namespace assay
