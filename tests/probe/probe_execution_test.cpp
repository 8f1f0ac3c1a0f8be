// What the probe says of stream, waiting and graph, on a device of host memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/probe/probe.h"
#include "tests/harness/fake_device.h"

namespace assay {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

ProbeReport probed(assay_run_function run) {
  const auto session = testing::fake_session(run);
  Manifest manifest = session->manifest();
  manifest.offsets = {{.convention = Convention::kEnds}};  // all that the plain loops take
  session->assume(manifest);
  return probe(*session, {.arithmetic = false});
}

const ProbeRow& row_of(const ProbeReport& report, std::string_view topic) {
  static const ProbeRow kNone{"", "no row", ""};
  for (const ProbeRow& row : report.rows) {
    if (row.topic == topic) { return row; }
  }
  return kNone;
}

TEST(ProbeExecution, AStreamOrderedKernelCanBeCaptured) {
  const ProbeReport report = probed(testing::fake_run);
  EXPECT_EQ(row_of(report, "stream_ordered").value, "true") << probe_table(report);
  EXPECT_EQ(row_of(report, "host sync").value, "none");
  EXPECT_EQ(row_of(report, "graph capture").value, "right");
  EXPECT_TRUE(report.probed.stream_ordered && report.probed.graph_capturable);
  EXPECT_THAT(manifest_json(report.probed), HasSubstr("\"graph_capturable\": true"));
}

TEST(ProbeExecution, WorkOutsideOfTheStreamIsSeen) {
  const ProbeReport report = probed(testing::fake_ignores_its_stream);
  EXPECT_EQ(row_of(report, "stream_ordered").value, "false") << probe_table(report);
  EXPECT_FALSE(report.probed.graph_capturable);
  EXPECT_THAT(report.disagreements, Contains(StartsWith("the manifest declares stream_ordered")));
}

TEST(ProbeExecution, AHostThatWaitsCannotBeCaptured) {
  const ProbeReport report = probed(testing::fake_waits);
  EXPECT_EQ(row_of(report, "stream_ordered").value, "true") << probe_table(report);
  EXPECT_EQ(row_of(report, "graph capture").value, "no");
  EXPECT_THAT(row_of(report, "graph capture").evidence, HasSubstr("cannot be captured"));
}

TEST(ProbeExecution, AReplayWithOldOffsetsIsSeen) {
  const ProbeReport report = probed(testing::fake_reads_offsets_early);
  EXPECT_EQ(row_of(report, "graph capture").value, "no") << probe_table(report);
  EXPECT_THAT(row_of(report, "graph capture").evidence, HasSubstr("launched again"));
}

}  // namespace
}  // namespace assay
