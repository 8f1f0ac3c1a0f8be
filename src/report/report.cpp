#include "src/report/report.h"

#include <fmt/format.h>

#include "src/core/json_object.h"
#include "src/core/text.h"
#include "src/report/html.h"

namespace assay {

Result<ReportedRun> reported_run(RunRecord record, const BatteryNames& names) {
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
    return subject + (failed > 0 ? fmt::format("fails {} of {} checks of {}.", failed,
                                               tally.checks.size(), under)
                                 : fmt::format("fails {}: a waiver is broken.", under));
  }
  if (tally.conclusion == Conclusion::kIncomplete) {
    return subject + fmt::format("has no verdict under {}: {}.", under,
                                 tally.incomplete_because.empty()
                                     ? "the run is incomplete"
                                     : one_line(tally.incomplete_because[0], kSentenceLength));
  }
  const std::string cases = fmt::format("{} distinct cases", grouped_digits(tally.domain.total()));
  if (tally.waived() > 0) {
    return subject +
           fmt::format("passes {} on {}, but for {} waived checks.", under, cases, tally.waived());
  }
  if (run.result.certified()) {
    return subject +
           fmt::format("passes {} on {} and is certified for what was tested.", under, cases);
  }
  return subject + fmt::format("passes {} on {}, which certifies nothing: {}.", under, cases,
                               run.result.run.whole_profile ? "the profile is for quick looks"
                                                            : "a filter or another seed was used");
}

Result<std::vector<BenchFigure>> parse_bench(std::string_view text, const std::string& file) {
  const auto json = parse_json_object(text);
  if (!json) { return make_error(file + ": " + json.error().message); }
  JsonObject object(*json, "");
  const Json* list = object.require("bench");
  if (list && !list->is_array()) { object.fail("bench", "is no array"); }
  if (const Status status = object.finish(); !status) {
    return make_error(file + ": " + status.error().message);
  }
  std::vector<BenchFigure> figures;
  for (const Json& item : *list) {
    if (!item.is_object()) { return make_error(file + ": " + quoted(item) + " is no figure"); }
    JsonObject entry(item, "bench");
    BenchFigure figure;
    entry.require("name");
    entry.read("name", figure.name);
    entry.require("value");
    entry.read_number("value", figure.value);
    entry.require("unit");
    entry.read("unit", figure.unit);
    entry.read("against", figure.against);
    if (const Status status = entry.finish(); !status) {
      return make_error(file + ": " + status.error().message);
    }
    figures.push_back(figure);
  }
  return figures;
}

}  // namespace assay
