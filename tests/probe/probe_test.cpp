// The probe on kernels built for it, which say nothing about themselves: one for each offset
// convention, one for each way to add up.
#include "src/probe/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/probe/probe_check.h"
#include "src/problem/case_text.h"
#include "tests/campaign/fake_kernel.h"
#include "tests/core/sanitized.h"

namespace assay {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

OpenSession opener(const std::string& kernel) {
  return [kernel](double deadline) {
    return open_worker_session(
        kernel, {.deadline_seconds = deadline, .worker_path = ASSAY_BINARY_DIR "/assay-worker"});
  };
}

std::unique_ptr<Session> session_of(const std::string& kernel) {
  auto session = opener(kernel)(5);
  EXPECT_TRUE(session.has_value()) << kernel;
  return std::move(*session);
}

std::string black_box(const std::string& name) {
  return ASSAY_BINARY_DIR "/test_plugins/probe/" + name + ".so";
}

std::string value_of(const ProbeReport& report, std::string_view topic) {
  for (const ProbeRow& row : report.rows) {
    if (row.topic == topic) { return row.value; }
  }
  return "no row";
}

ProbeReport probe_black_box(const std::string& name, bool arithmetic) {
  return probe(*session_of(black_box(name)), {.arithmetic = arithmetic});
}

TEST(Probe, NamesEachOfTheEightConventions) {
  for (const Convention convention : kAllConventions) {
    const ProbeReport report = probe_black_box(std::string(name(convention)), false);
    ASSERT_TRUE(report.found) << name(convention);
    std::vector<OffsetsKind> expected = {{.convention = convention}};
    // Without gaps the ends of padded experts are plain ends.
    if (convention == Convention::kPaddedEnds) {
      expected.insert(expected.begin(), {.convention = Convention::kEnds});
    }
    EXPECT_EQ(report.probed.offsets, expected) << name(convention) << probe_table(report);
    EXPECT_EQ(report.probed.passes.size(), 3U);
    EXPECT_THAT(report.probed.formats, ElementsAre(Combination{Format::kFp32, Format::kFp32}));
    EXPECT_EQ(value_of(report, "empty experts, wgrad"), "dW is +0");
    EXPECT_FALSE(report.probed.accumulate);
  }
}

struct AddsUp {
  const char* kernel;
  const char* accumulator;
  const char* step;
  const char* split;
  const char* arithmetic;  // of the manifest to paste
};
void PrintTo(const AddsUp& way, std::ostream* stream) { *stream << way.kernel; }

class WaysToAddUp : public ::testing::TestWithParam<AddsUp> {};

TEST_P(WaysToAddUp, AreNamed) {
  const AddsUp& way = GetParam();
  const std::string kernel = way.kernel;
  const ProbeReport report = probe(*session_of(kernel == "cpu" ? kernel : black_box(kernel)));
  EXPECT_EQ(value_of(report, "accumulator"), way.accumulator);
  EXPECT_EQ(value_of(report, "products per step"), way.step);
  EXPECT_EQ(value_of(report, "split"), way.split);
  EXPECT_THAT(manifest_json(report.probed), HasSubstr(way.arithmetic));
  EXPECT_THAT(report.disagreements, IsEmpty());
}

constexpr const char* kFp32 = "23 fraction bits, rounded to nearest";
constexpr const char* kCut = "23 fraction bits, cut";
// The last two find their scales by trying every way; under sanitizers SaysThatNoWayOfScalingFits
// alone runs that code.
const AddsUp kWays[] = {
    AddsUp{"cpu", kFp32, "1", "1",
           R"("fused":true,"order":"ascending","scales":"sums","promotion_interval":128})"},
    AddsUp{"bf16_partials", kFp32, "1", "1", R"("splits":16,"partials":"bf16")"},
    AddsUp{"acc_14_bits", "13 fraction bits, cut", "32", "1",
           R"("products_per_step":32,"fraction_bits":13,"out_bits":13,"order":"ascending")"},
    AddsUp{"hopper", kCut, "16", "1",
           R"("products_per_step":16,"fraction_bits":25,"out_bits":23,"order":"ascending")"},
    AddsUp{"ampere", kCut, "8", "1",
           R"("products_per_step":8,"fraction_bits":24,"out_bits":23,"order":"ascending")"},
    AddsUp{"split_in_four", kFp32, "1", "4", R"("order":"any","splits":4)"},
    AddsUp{"rowwise", "13 fraction bits, cut", "32", "8",
           R"("products_per_step":32,"fraction_bits":13,"out_bits":13,"order":"ascending",)"
           R"("scales":"end","promotion_interval":128)"},
    AddsUp{"scaled_apart", "13 fraction bits, cut", "32", "8",
           R"("products_per_step":32,"fraction_bits":13,"out_bits":13,"order":"ascending",)"
           R"("scales":"sums_one_by_one","promotion_interval":128)"}};
constexpr std::ptrdiff_t kTryEveryWay = 2;
INSTANTIATE_TEST_SUITE_P(Probe, WaysToAddUp,
                         ::testing::ValuesIn(std::begin(kWays),
                                             std::end(kWays) -
                                                 (testing::kSanitized ? kTryEveryWay : 0)),
                         [](const auto& way) { return std::string(way.param.kernel); });

TEST(Probe, TellsSumsOfIntegersFromThoseOfFp32) {
  const ProbeReport exact = probe_black_box("int32_sums", true);
  EXPECT_EQ(value_of(exact, "sums of integers"), "int32");
  EXPECT_THAT(manifest_json(exact.probed), HasSubstr(R"({"kind":"int32","order":"any"})"));
  EXPECT_THAT(manifest_json(exact.probed), Not(HasSubstr("subnormals")));
  const ProbeReport rounded = probe_black_box("fp32_sums", true);
  EXPECT_EQ(value_of(rounded, "sums of integers"), "not 32-bit integers");
  EXPECT_THAT(manifest_json(rounded.probed), Not(HasSubstr("int32")));
}

TEST(Probe, TellsADescendingOrder) {
  EXPECT_EQ(value_of(probe_black_box("descending", true), "order of k"), "descending");
}

// Scales of blocks cannot be for the end of the sum: that is no way to try.
TEST(Probe, SaysThatNoWayOfScalingFits) {
  const ProbeReport report = probe_black_box("scaled_right_first", true);
  EXPECT_EQ(value_of(report, "accumulator"), "13 fraction bits, cut");
  EXPECT_EQ(value_of(report, "scales"), "unknown");
}

TEST(Probe, WhatItPrintsIsAManifestThatHolds) {
  const std::string json = manifest_json(probe_black_box("hopper", true).probed);
  const Result<Manifest> manifest = parse_manifest(json);
  ASSERT_TRUE(manifest.has_value()) << manifest.error().message << json;
  EXPECT_TRUE(manifest->is_complete());
  const auto session = session_of(black_box("hopper"));
  session->assume(*manifest);
  EXPECT_THAT(probe(*session).disagreements, IsEmpty());
}

TEST(Probe, IsRightAboutAKernelOfFewRows) {
  for (const char* most : {"20", "600"}) {
    const auto session = session_of(black_box("descending"));
    const Result<Manifest> manifest =
        parse_manifest(std::string(R"({"name": "black_box", "passes": ["fwd"], "weights": ["enk"],
                        "formats": [{"in": "bf16", "out": "fp32"}], "offsets": ["ends"],
                        "accumulate": false, "max_rows": )") +
                       most + "}");
    ASSERT_TRUE(manifest.has_value());
    session->assume(*manifest);
    const ProbeReport report = probe(*session);
    EXPECT_THAT(report.disagreements, IsEmpty()) << most;
    EXPECT_EQ(value_of(report, "order of k"), "descending") << most;
  }
}

TEST(Probe, SaysWhereAManifestPromisesMore) {
  const auto session = session_of(black_box("hopper"));
  const Result<Manifest> manifest = parse_manifest(R"({"name": "black_box",
    "passes": ["fwd", "dgrad"], "formats": [{"in": "bf16", "out": "fp32"}], "weights": ["enk"],
    "offsets": ["ends"], "accumulate": false,
    "arithmetic": {"kind": "fma", "order": "ascending"}})");
  ASSERT_TRUE(manifest.has_value());
  session->assume(*manifest);
  const Check check = the_manifest_agrees_with_the_probe();
  EXPECT_THAT(probe(*session).disagreements,
              Contains(HasSubstr("declares arithmetic fp32 multiply-add, k ascending, the probe "
                                 "finds steps of 16 products, 25 fraction bits, 23 kept")));
  const Verdict verdict = check.run(*session, *parse_case("pass=fwd k=8 n=8 rows=1"));
  EXPECT_EQ(verdict.kind, VerdictKind::kFailed);
  EXPECT_THAT(verdict.reason, HasSubstr("declares passes dgrad, the probe finds that it is not"));
}

TEST(Probe, CompletesAManifestWithoutPromisesOfItsOwn) {
  const auto completed = complete(opener(black_box("masked")));
  ASSERT_TRUE(completed.has_value()) << completed.error().message;
  ASSERT_TRUE(completed->report.has_value());
  const auto session = completed->open(5);
  ASSERT_TRUE(session.has_value());
  const Manifest& manifest = (*session)->manifest();
  EXPECT_THAT(manifest.offsets, ElementsAre(OffsetsKind{.convention = Convention::kMasked}));
  EXPECT_EQ(manifest.base_bytes, 1);
  EXPECT_FALSE(manifest.deterministic);
  EXPECT_FALSE(manifest.arithmetic.ascending);
}

// One pass and format: an exact oracle answers.
Manifest small_manifest() {
  Manifest manifest = testing::every_manifest();
  manifest.passes = {Pass::kFwd};
  manifest.formats = {{Format::kBf16, Format::kFp32}};
  manifest.weights = {WeightsLayout::kEnk};
  manifest.offsets = {{.convention = Convention::kEnds}};
  manifest.declared_fields = {"passes",  "formats",         "weights",
                              "offsets", "batch_invariant", "deterministic"};
  return manifest;
}

TEST(Probe, ARightKernelDisagreesWithNothing) {
  testing::FakeSession kernel({}, small_manifest());
  EXPECT_THAT(probe(kernel, {.arithmetic = false}).disagreements, IsEmpty());
}

TEST(Probe, AKernelThatIsNeverRightIsSaidToBe) {
  testing::FakeSession kernel(
      [](const Problem&, const RunOptions&, Index, Outcome& outcome) {
        for (std::byte& byte : outcome.output) { byte = std::byte{0x3c}; }
      },
      small_manifest());
  const ProbeReport report = probe(kernel);
  EXPECT_FALSE(report.found);
  EXPECT_THAT(report.rows.front().evidence, HasSubstr("wrong"));
}

TEST(Probe, KeepsACaseOfADeclaredPassThatIsWrong) {
  Manifest manifest = small_manifest();
  manifest.passes = {Pass::kFwd, Pass::kWgrad};
  testing::FakeSession kernel(
      [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
        if (problem.spec.pass == Pass::kWgrad) { outcome.output[0] ^= std::byte{0x3c}; }
      },
      manifest);
  const ProbeReport report = probe(kernel, {.arithmetic = false});
  ASSERT_TRUE(report.wrong.has_value());
  EXPECT_EQ(report.wrong->pass, Pass::kWgrad);
}

TEST(Probe, RowsThatChangeWithTheBatchAreSeen) {
  testing::FakeSession kernel(
      [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
        if (is_exact(problem.spec.fill) || problem.spec.rows[0] < 4) { return; }
        outcome.output[0] ^= std::byte{1};
      },
      small_manifest());
  const ProbeReport report = probe(kernel, {.arithmetic = false});
  EXPECT_EQ(value_of(report, "batch_invariant"), "false");
  EXPECT_THAT(report.disagreements, Contains(HasSubstr("declares batch_invariant true")));
}

}  // namespace
}  // namespace assay
