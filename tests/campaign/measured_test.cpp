// What a measuring check reports is nowhere a pass, and keeps no run from its verdict.
#include "src/campaign/measured.h"

#include <algorithm>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/certificate/diff.h"
#include "src/certificate/envelope.h"
#include "src/certificate/verify.h"
#include "src/core/file.h"
#include "src/report/report.h"
#include "src/report/report_json.h"
#include "src/report/report_text.h"
#include "tests/certificate/certificate_fixture.h"

namespace assay {
namespace {

using testing::Folder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::record_run;
using testing::recorded;
using testing::resealed;
using testing::tiny_names;

const std::string kMeasuring = "passes,on_a_gpu,measures,measures_nothing";

ReportedRun reported(const std::string& checks) {
  const Folder folder;
  EXPECT_TRUE(record_run(folder / "r", {.checks = checks}));
  return reported_run(recorded(folder / "r"), tiny_names()).value();
}

const CheckTally& row(const ReportedRun& run, std::string_view check) {
  const auto& rows = run.result.run.tally.checks;
  return *std::ranges::find(rows, check, [](const CheckTally& each) { return each.check->name; });
}

std::vector<double> figures_of(const ReportedRun& run) {
  std::vector<double> figures;
  for (const auto& [job, one] : run.record.cases) {
    if (one.result.measured) { figures.push_back(*one.result.measured); }
  }
  std::ranges::sort(figures);
  return figures;
}

TEST(Measured, MedianAndWorstOfTheFigures) {
  const MeasuredCases most = measured_over({{5, 2}, {6, 9}, {7, 9}, {8, 3}}, WorseIs::kMore);
  EXPECT_EQ(most.cases, 4);
  EXPECT_EQ(most.median, 6);
  EXPECT_EQ(most.worst, 9);
  EXPECT_EQ(most.worst_job, 6) << "the first that has it";
  const MeasuredCases least = measured_over({{5, 2}, {6, 9}, {7, 1}}, WorseIs::kLess);
  EXPECT_EQ(least.median, 2);
  EXPECT_EQ(least.worst, 1);
  EXPECT_EQ(least.worst_job, 7);
  EXPECT_EQ(measured_over({}, WorseIs::kLess).worst_job, -1);
  EXPECT_EQ(measured_text(most, "times"), "median 6, worst 9 times");
  EXPECT_EQ(measured_text(measured_over({{0, 29.36}}, WorseIs::kMore), "times"), "29.4 times");
  EXPECT_EQ(figure_text(12345.6), "12346");
}

TEST(Measured, CountsForNoVerdictButItsCasesWereJudged) {
  const ReportedRun run = reported(kMeasuring);
  const Tally& tally = run.result.run.tally;
  EXPECT_EQ(tally.conclusion, Conclusion::kPassed) << tally.incomplete_because.front();
  const std::vector<double> figures = figures_of(run);
  ASSERT_GT(figures.size(), 2U);
  const CheckTally& measures = row(run, "measures");
  EXPECT_EQ(measures.verdict, VerdictKind::kMeasured);
  EXPECT_EQ(measures.measured.cases, static_cast<Index>(figures.size()));
  EXPECT_EQ(measures.measured.worst, figures.back());
  EXPECT_EQ(*run.record.cases.at(measures.measured.worst_job).result.measured, figures.back());
  EXPECT_GT(measures.cases, 0);
  EXPECT_EQ(row(run, "measures_nothing").verdict, VerdictKind::kNotRun);
  EXPECT_EQ(row(run, "measures_nothing").reason, "not measured: as planted");
  const std::string text = report_text(run.result, {});
  EXPECT_THAT(text, HasSubstr("Measured  median "));
  EXPECT_THAT(text, HasSubstr("; 1 check only measured\n"));
  EXPECT_TRUE(text.ends_with("\n1 passed, 0 failed, 2 skipped\n")) << text;
}

TEST(Measured, AloneHasNoVerdict) {
  const ReportedRun run = reported("measures");
  EXPECT_EQ(run.result.run.tally.conclusion, Conclusion::kIncomplete);
  EXPECT_THAT(run.result.run.tally.incomplete_because.front(), HasSubstr("no check passed"));
}

TEST(Measured, WhatItFindsIsAFinding) {
  const ReportedRun run = reported("passes,measures_or_fails");
  EXPECT_EQ(run.result.run.tally.conclusion, Conclusion::kFailed);
  EXPECT_EQ(row(run, "measures_or_fails").verdict, VerdictKind::kCrashed);
  EXPECT_THAT(junit_report({run}), HasSubstr("name=\"measures_or_fails\""));
  EXPECT_THAT(junit_report({run}), HasSubstr("<failure type=\"Crashed\""));
}

TEST(Measured, AWaiverOfItIsNotNeeded) {
  const Folder folder;
  const Waiver waiver{"measures", "fake", "slow", "link", "2099-12-31"};
  const auto run = record_run(folder / "r", {.checks = "passes,measures", .waivers = {waiver}});
  EXPECT_EQ(run->run.tally.conclusion, Conclusion::kFailed);
  EXPECT_THAT(run->run.tally.broken_waivers.at(0), HasSubstr("only measures"));
}

TEST(Measured, IsInEveryReportWithItsFigures) {
  const ReportedRun run = reported(kMeasuring);
  const CheckTally& measures = row(run, "measures");
  const std::string figures = measured_text(measures.measured, "times ");
  const std::string worst_case = run.record.cases.at(measures.measured.worst_job).line;
  EXPECT_THAT(markdown_report({run}), HasSubstr("| measures | Measured | "));
  EXPECT_THAT(markdown_report({run}), HasSubstr(figures));
  const std::string html = html_report({run}, tiny_names());
  EXPECT_THAT(html, HasSubstr(figures + "&lt;it&gt;"));
  EXPECT_THAT(html, HasSubstr("<code>" + worst_case + "</code>"));
  const std::string junit = junit_report({run});
  EXPECT_THAT(junit, HasSubstr("<property name=\"measures\" value=\"" + figures + "&lt;it&gt;\""));
  EXPECT_THAT(junit, Not(HasSubstr("classname=\"assay.fake.tiny\" name=\"measures\"")));
  EXPECT_THAT(junit, HasSubstr("<skipped message=\"not measured: as planted\"/>"));
  EXPECT_THAT(junit, HasSubstr("errors=\"0\""));
  EXPECT_THAT(csv_report({run}, tiny_names()),
              HasSubstr("," + figure_text(measures.measured.worst) + ",times <it>,\n"));
  const Json json = Json::parse(report_json(run.result, {}));
  EXPECT_EQ(json["checks"][0]["measured"], nullptr);
  EXPECT_EQ(json["checks"][2]["verdict"], "Measured");
  EXPECT_EQ(json["checks"][2]["measured"]["unit"], "times <it>");
  EXPECT_EQ(json["checks"][2]["measured"]["worst"], measures.measured.worst);
  EXPECT_EQ(json["checks"][2]["measured"]["case"], worst_case);
}

Certificate certificate_of_run(const ReportedRun& run) {
  Certificate certificate = certificate_of(run.record, run.result);
  const auto again = read_statement(statements_of(certificate).front());
  EXPECT_TRUE(again) << again.error().message;
  return *again;
}

const CertifiedCheck& row(const Certificate& certificate, std::string_view check) {
  return *std::ranges::find(certificate.checks, check, &CertifiedCheck::name);
}

TEST(Measured, IsInNoListOfTestsOfACertificate) {
  const ReportedRun run = reported(kMeasuring);
  const Certificate certificate = certificate_of_run(run);
  const CertifiedCheck& measures = row(certificate, "measures");
  EXPECT_EQ(measures.status, "MEASURED");
  ASSERT_TRUE(measures.measured);
  EXPECT_EQ(measures.measured->median, row(run, "measures").measured.median);
  EXPECT_EQ(measures.measured->worst, row(run, "measures").measured.worst);
  EXPECT_EQ(measures.measured->worst_case,
            run.record.cases.at(row(run, "measures").measured.worst_job).line);
  EXPECT_EQ(row(certificate, "measures_nothing").status, "NOT_RUN");
  EXPECT_EQ(row(certificate, "measures_nothing").measured->cases, 0);
  EXPECT_FALSE(row(certificate, "passes").measured);
  const std::vector<std::string> statements = statements_of(certificate);
  ASSERT_EQ(statements.size(), 3U) << "all passed";
  const Json result = Json::parse(statements[1])["predicate"];
  EXPECT_EQ(result["passedTests"], Json::array({"passes"}));
  EXPECT_EQ(result["failedTests"], Json::array());
  EXPECT_THAT(statements[2], Not(HasSubstr("MEASURES")));
  EXPECT_THAT(broken_claim(certificate, {}, "2099-01-01T00:00:00Z"), IsEmpty());
  Certificate slower = certificate;
  for (CertifiedCheck& check : slower.checks) {
    if (check.measured) { check.measured->worst = 1234; }
  }
  const Difference difference = difference_of(certificate, slower);
  EXPECT_TRUE(difference.holds()) << "no verdict";
  EXPECT_THAT(difference_text(difference), HasSubstr(" -> 1234 times <it>\n"));
}

TEST(Measured, IsListedAsFailedWhereItFound) {
  const Certificate certificate = certificate_of_run(reported("passes,measures_or_fails"));
  const Json result = Json::parse(statements_of(certificate)[1])["predicate"];
  EXPECT_EQ(result["failedTests"], Json::array({"measures_or_fails"}));
}

TEST(Measured, MeetsNoDemandOfAPolicy) {
  const CertificateFile file{.certificate = certificate_of_run(reported(kMeasuring))};
  const auto broken = [&](const char* check) {
    return broken_demand(file, {.checks = {check}}, "2099-01-01T00:00:00Z");
  };
  EXPECT_THAT(broken("passes"), IsEmpty());
  EXPECT_THAT(broken("measures"), HasSubstr("'measures' only measures, it cannot pass"));
  EXPECT_THAT(broken("not_slower_than_the_loop"),
              HasSubstr("'not_slower_than_the_loop' is called time_over_the_loop now"));
}

// In a certificate that somebody has edited.
TEST(Measured, ExcusesNoCheckThatJudges) {
  Certificate certificate = certificate_of_run(reported(kMeasuring));
  CertifiedCheck forged = row(certificate, "measures_nothing");
  forged.name = "indices_beyond_2_31";
  certificate.checks.push_back(forged);
  const std::string at = "2099-01-01T00:00:00Z";
  EXPECT_THAT(broken_claim(certificate, {}, at), HasSubstr("indices_beyond_2_31 judges"));
  certificate.checks.back() = row(certificate, "passes");
  certificate.checks.back().name = "time_over_the_loop";
  EXPECT_THAT(broken_claim(certificate, {}, at), HasSubstr("time_over_the_loop only measures"));
}

TEST(Measured, ARecordsLineHasNumberAndUnit) {
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "r", {.checks = "passes,measures"}));
  const std::string text = *read_file(folder / "r");
  EXPECT_THAT(text, HasSubstr("\"unit\":\"times <it>\"}"));
  const RunRecord record = recorded(folder / "r");
  // In the order of the cases; the file has them as they came.
  const std::string sorted = run_text(record, tiny_names());
  EXPECT_THAT(sorted, HasSubstr("\"unit\":\"times <it>\"}"));
  EXPECT_EQ(run_text(*parse_run(sorted, "r", tiny_names()), tiny_names()), sorted);
  const auto damaged = [&](const std::string& part, const std::string& by) {
    std::string line = text;
    line.replace(line.find(part), part.size(), by);
    const auto read = parse_run(resealed(line), "r", tiny_names());
    return read ? "accepted" : read.error().message;
  };
  EXPECT_THAT(damaged("\"unit\":", "\"mood\":"), HasSubstr("unknown field 'measured.mood'"));
  EXPECT_THAT(damaged("\"measured\":{\"value\":", "\"measured\":{\"valu\":"),
              HasSubstr("unknown field 'measured.valu'"));
}

TEST(Measured, OldNamesAreOneLine) {
  const auto message = [](const auto& result) {
    return result ? std::string("accepted") : result.error().message;
  };
  const std::string line = " generator=small count=1 seed=0\n";
  const auto profile = [&](const std::string& check) {
    return message(
        parse_profile("profile=p certifies=none\ncheck=" + check + line, "p", every_name()));
  };
  EXPECT_THAT(
      profile("no_silent_slow_path"),
      HasSubstr("p:2: check 'no_silent_slow_path' is called time_over_the_aligned_case now"));
  EXPECT_THAT(profile("nothing"), HasSubstr("p:2: unknown check 'nothing'; allowed: "));
  EXPECT_THAT(message(parse_waivers(R"({"waivers": [{"check": "not_slower_than_the_loop",
                  "kernel": "k", "reason": "r", "link": "l", "until": "2099-01-01"}]})",
                                    "w", every_name())),
              HasSubstr("'not_slower_than_the_loop' is called time_over_the_loop now"));
  const Folder folder;
  ASSERT_TRUE(record_run(folder / "r", {.checks = "passes"}));
  std::string text = *read_file(folder / "r");
  const std::string line_of_profile = "[\"passes\",\"tiny\"";
  ASSERT_NE(text.find(line_of_profile), std::string::npos);
  text.replace(text.find(line_of_profile), line_of_profile.size(),
               "[\"no_silent_slow_path\",\"tiny\"");
  EXPECT_THAT(message(parse_run(resealed(text), "r", tiny_names())),
              HasSubstr("r:1: field 'profile': check 'no_silent_slow_path' is called "
                        "time_over_the_aligned_case now"));
}

}  // namespace
}  // namespace assay
