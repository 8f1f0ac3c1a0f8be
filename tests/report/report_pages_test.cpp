#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/certificate/diff.h"
#include "src/report/case_facts.h"
#include "src/report/html.h"
#include "src/report/report.h"
#include "tests/record/record_fixture.h"

namespace assay {
namespace {

using testing::Folder;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::record_run;
using testing::recorded;
using testing::RecordOptions;
using testing::tiny_names;

ReportedRun reported(const RecordOptions& options) {
  const Folder folder;
  EXPECT_TRUE(record_run(folder / "r", options));
  return reported_run(recorded(folder / "r"), tiny_names()).value();
}

const std::string kFailing = "passes,refuses_some,on_a_gpu,fails_on_wide";

TEST(Html, EscapesWhatAKernelMaySay) {
  EXPECT_EQ(escaped("<script>\"&'\x01\n\u202e"), "&lt;script&gt;&quot;&amp;&#39; \n?");
  EXPECT_EQ(grouped_digits(1234567), "1,234,567");
  EXPECT_EQ(grouped_digits(-999), "-999");
}

TEST(HtmlReport, LoadsNothingAndRunsNothing) {
  const std::string html = html_report({reported({.checks = kFailing})}, tiny_names());
  EXPECT_THAT(html, HasSubstr("Content-Security-Policy"));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  for (const char* loading : {"<script", "src=", "href=\"http", "url(", "@import"}) {
    EXPECT_THAT(html, Not(HasSubstr(loading)));
  }
}

TEST(HtmlReport, HasVerdictChecksAndFindings) {
  const std::string html = html_report({reported({.checks = kFailing})}, tiny_names());
  EXPECT_THAT(html, HasSubstr("Kernel fake fails 1 of 4 checks of profile tiny."));
  EXPECT_THAT(html, HasSubstr("Findings (1)"));
  EXPECT_THAT(html, HasSubstr("needs a GPU"));
  EXPECT_THAT(html_report({reported({})}, tiny_names()), HasSubstr("is certified"));
  EXPECT_THAT(html_report({reported({.shard = {1, 2}})}, tiny_names()),
              HasSubstr("has no verdict under profile tiny: part 1 of 2"));
}

TEST(HtmlReport, TheVerdictShowsTheFirstReasonsOnly) {
  ReportedRun run = reported({});
  Tally& tally = run.result.run.tally;
  tally.conclusion = Conclusion::kIncomplete;
  for (int i = 0; i < 40; ++i) {
    tally.incomplete_because.push_back("reason " + std::to_string(i) + ".");
  }
  const std::string html = html_report({run}, tiny_names());
  EXPECT_THAT(html,
              HasSubstr("<p>Incomplete: reason 3.</p>\n<p>Incomplete: and 36 more reasons</p>"));
  EXPECT_THAT(html, Not(HasSubstr("reason 4.")));
}

TEST(CaseFacts, CountEveryJudgedCaseOnce) {
  const ReportedRun run = reported({});
  const CaseSummary summary = summarize(run.record, tiny_names());
  Index cases = 0, experts = 0;
  for (const auto& [cell, counts] : summary.ratios) {
    cases += counts.exact + counts.above;
    for (const Index count : counts.bins) { cases += count; }
  }
  for (const auto& [convention, grid] : summary.coverage) {
    for (const auto& row : grid) {
      for (const Index count : row) { experts += count; }
    }
  }
  EXPECT_EQ(cases, summary.routings);
  EXPECT_EQ(experts, 2 * cases);
  EXPECT_EQ(experts, static_cast<Index>(summary.rows_per_expert.size()));
  EXPECT_GE(summary.useful[0].overall, summary.useful[7].overall);
}

TEST(Bench, IsReadStrictly) {
  const auto good = parse_bench(
      R"({"bench": [{"name": "cpu", "value": 1.5, "unit": "GFLOP/s", "against": ""}]})", "b");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->at(0).value, 1.5);
  EXPECT_THAT(parse_bench(R"({"bench": [{"name": "cpu"}]})", "b").error().message,
              HasSubstr("b: field 'bench[0].value': is missing"));
  EXPECT_THAT(parse_bench(R"({})", "b").error().message, HasSubstr("'bench': is missing"));
}

TEST(Difference, SortsEveryCheckIntoOneKind) {
  Certificate before, after;
  const auto check = [](const std::string& name, const std::string& status, double ratio = 0.5,
                        Index cases = 10) {
    return CertifiedCheck{.name = name, .status = status, .cases = cases, .worst_ratio = ratio};
  };
  before.checks = {check("broken", "PASSED"), check("fixed", "FAILED"), check("lost", "PASSED"),
                   check("worse", "PASSED"),  check("fewer", "PASSED"), check("same", "PASSED"),
                   check("better", "PASSED"), check("gone", "FAILED")};
  after.checks = {check("broken", "CRASHED"),    check("fixed", "PASSED"),
                  check("worse", "PASSED", 0.6), check("fewer", "PASSED", 0.5, 9),
                  check("same", "PASSED"),       check("better", "PASSED", 0.4),
                  check("gained", "PASSED"),     check("lost", "NOT_RUN")};
  const Difference difference = difference_of(before, after);
  const auto names = [](const std::vector<CheckChange>& changes) {
    std::string text;
    for (const CheckChange& change : changes) { text += change.check + " "; }
    return text;
  };
  EXPECT_EQ(names(difference.broken), "broken ");
  EXPECT_EQ(names(difference.fixed), "fixed ");
  EXPECT_EQ(names(difference.lost), "lost gone ");
  EXPECT_EQ(names(difference.gained), "gained ");
  EXPECT_EQ(names(difference.worse), "worse fewer ");
  EXPECT_EQ(names(difference.better), "better ");
  EXPECT_FALSE(difference.holds());
  EXPECT_TRUE(difference_of(before, before).holds());
}

}  // namespace
}  // namespace assay
