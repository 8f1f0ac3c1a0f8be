#include "src/bench/schedule_report.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;

constexpr TileShape kTall{128, 128, 64};
constexpr TileShape kLow{64, 128, 64};

ScheduleQuestion asked(std::vector<std::pair<Index, int>> runs) {
  ScheduleQuestion question{{}, 4096, 2048, 132};
  for (const auto& [rows, experts] : runs) {
    question.rows.insert(question.rows.end(), static_cast<std::size_t>(experts), rows);
  }
  return question;
}

ScheduleQuestion balanced() { return asked({{256, 64}}); }
ScheduleQuestion skewed() { return asked({{64, 32}, {400, 28}, {784, 4}}); }

double rounded(double value, double scale) { return std::round(value * scale) / scale; }

TEST(ScheduleReport, BalancedStepOfTheWorkedExample) {
  const ScheduleReport report = analyse_schedule(balanced(), kTall);
  EXPECT_EQ(report.row_blocks, 128);
  EXPECT_EQ(report.tiles, 2048);
  EXPECT_EQ(rounded(report.waves, 10), 15.5);
  EXPECT_EQ(report.whole_waves, 16);
  EXPECT_EQ(report.computed_rows, 16384);
  EXPECT_EQ(report.useful_rows, 1);
  EXPECT_EQ(report.relative_cost, 1);
}

TEST(ScheduleReport, SkewedStepOfTheWorkedExample) {
  const ScheduleReport report = analyse_schedule(skewed(), kTall);
  EXPECT_EQ(report.real_rows, 16384);
  EXPECT_EQ(report.row_blocks, 172);
  EXPECT_EQ(report.tiles, 2752);
  EXPECT_EQ(report.whole_waves, 21);
  EXPECT_EQ(report.computed_rows, 22016);
  EXPECT_EQ(rounded(report.useful_rows, 100), 0.74);
  EXPECT_EQ(report.even_tiles, 2048);
  EXPECT_EQ(rounded(report.relative_cost, 100), 1.34);
}

TEST(ScheduleReport, SmallerTilesOfTheWorkedExample) {
  const ScheduleReport report = analyse_schedule(skewed(), kLow);
  EXPECT_EQ(report.row_blocks, 280);
  EXPECT_EQ(report.computed_rows, 17920);
  EXPECT_EQ(rounded(report.useful_rows, 100), 0.91);
}

TEST(ScheduleReport, SpreadsARemainderOverTheFirstExperts) {
  const ScheduleReport report = analyse_schedule({{0, 0, 130}, 64, 128, 4}, {43, 128, 64});
  EXPECT_EQ(report.tiles, 4);       // 43 + 43 + 43 + 1
  EXPECT_EQ(report.even_tiles, 4);  // 44 is two blocks, 43 and 43 one each
}

TEST(ScheduleReport, CountsNothingWhereThereIsNothing) {
  for (const auto& rows : {std::vector<Index>{}, {0}, {0, 0, 0}}) {
    const ScheduleReport report = analyse_schedule({rows, 64, 64, 132}, kTall);
    EXPECT_EQ(report.tiles, 0);
    EXPECT_EQ(report.whole_waves, 0);
    EXPECT_EQ(report.useful_rows, 1);
    EXPECT_EQ(report.relative_cost, 1);
  }
}

TEST(ScheduleTable, PutsTilesSideBySide) {
  const ScheduleReport reports[] = {analyse_schedule(skewed(), kTall),
                                    analyse_schedule(skewed(), kLow)};
  const std::string table = schedule_table(skewed(), reports);
  EXPECT_THAT(table,
              HasSubstr("16,384 rows over 64 experts, k 4096, n 2048, 132 SMs, 275 GFLOP\n"));
  EXPECT_THAT(table, HasSubstr("\ntile                   128x128      64x128\n"));
  EXPECT_THAT(table, HasSubstr("\nrow blocks                 172         280\n"));
  EXPECT_THAT(table, HasSubstr("\nuseful rows               74 %        91 %\n"));
  EXPECT_THAT(table, HasSubstr("\nrelative cost             1.34        1.09\n"));
}

}  // namespace
}  // namespace assay
