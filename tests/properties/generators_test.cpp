// Every case that any generator draws for any check is one that the case text can say, under very
// different manifests.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "properties/check.h"
#include "properties/generators/case_class.h"
#include "properties/generators/fit.h"
#include "properties/generators/generator.h"
#include "src/problem/case_text.h"
#include "src/problem/scale_places.h"
#include "tests/core/sanitized.h"

namespace assay {
namespace {

Manifest wide_manifest() {
  Manifest manifest;
  manifest.name = "wide";
  manifest.passes = {Pass::kFwd, Pass::kDgrad, Pass::kWgrad};
  for (const Format in : {Format::kBf16, Format::kFp16, Format::kFp32}) {
    manifest.formats.push_back({in, Format::kFp32});
    if (in != Format::kFp32) { manifest.formats.push_back({in, in}); }
  }
  manifest.weights = {WeightsLayout::kEnk, WeightsLayout::kEkn};
  for (const Convention convention : kAllConventions) { manifest.offsets.push_back({convention}); }
  manifest.accumulate = true;
  manifest.bias = {Format::kFp32};
  manifest.tactics = {"rows32", "rows64"};
  manifest.base_bytes = 1;
  manifest.deterministic = manifest.batch_invariant = true;
  return manifest;
}

Manifest narrow_manifest() {
  Manifest manifest;
  manifest.name = "narrow";
  manifest.passes = {Pass::kFwd};
  manifest.formats = {{Format::kBf16, Format::kBf16}};
  manifest.weights = {WeightsLayout::kEkn};
  manifest.offsets = {{Convention::kEnds}};
  manifest.k_multiple = manifest.n_multiple = manifest.ld_multiple = 8;
  manifest.max_experts = 64;
  return manifest;
}

// As torch's product of rows with scales: no other inputs, on a GPU.
Manifest scaled_manifest() {
  Manifest manifest = narrow_manifest();
  manifest.name = "scaled";
  manifest.device = "cuda";
  manifest.passes = {Pass::kFwd, Pass::kWgrad};
  manifest.formats = {*parse_combination("e4m3/row", "bf16"),
                      *parse_combination("e5m2/block128", "fp32"),
                      *parse_combination("x:bf16,w:e4m3/block128", "bf16")};
  manifest.accumulate = true;
  return manifest;
}

// In every convention, and with every place that scales may have.
Manifest placed_manifest() {
  Manifest manifest = wide_manifest();
  manifest.formats.push_back(*parse_combination("e4m3/mx", "fp32"));
  manifest.formats.push_back(*parse_combination("e5m2/block128", "bf16"));
  manifest.wgrad_formats = manifest.formats;
  manifest.scale_pitches = {0, 4};
  manifest.scale_layouts = {ScaleLayout::kStrided, ScaleLayout::k32x4x4};
  manifest.scale_starts = {ScaleStarts::kCompact, ScaleStarts::kAligned};
  return manifest;
}

class Generators : public ::testing::TestWithParam<Generator> {};

TEST_P(Generators, DrawSayableCasesForEveryCheck) {
  for (const Manifest& manifest :
       {wide_manifest(), narrow_manifest(), scaled_manifest(), placed_manifest()}) {
    for (const Check& check : all_checks()) {
      for (Index index = 0; index < testing::sanitized_share(40); ++index) {
        const CaseSpec spec = nth_case(GetParam(), check, manifest, 11, index);
        const auto read = parse_case(canonical_text(spec));
        ASSERT_TRUE(read.has_value()) << check.name << ": " << canonical_text(spec) << "\n"
                                      << read.error().message;
        ASSERT_EQ(*read, spec) << check.name << ": " << canonical_text(spec);
      }
    }
  }
}

TEST_P(Generators, DrawTheSameCaseAgainAndOthersUnderAnotherSeed) {
  const Manifest manifest = wide_manifest();
  const Check& check = all_checks().front();
  std::set<std::string> lines;
  for (Index index = 0; index < 50; ++index) {
    const CaseSpec spec = nth_case(GetParam(), check, manifest, 1, index);
    EXPECT_EQ(spec, nth_case(GetParam(), check, manifest, 1, index));
    lines.insert(canonical_text(spec));
    lines.insert(canonical_text(nth_case(GetParam(), check, manifest, 2, index)));
  }
  EXPECT_GE(lines.size(), 99u);
}

Manifest demanding_manifest() {
  Manifest manifest = wide_manifest();
  manifest.row_multiple = 8;
  manifest.least_rows = 3;
  manifest.total_rows_multiple = 12;
  manifest.max_experts = 40;
  manifest.max_rows = 3000;
  manifest.dense_strides = true;
  manifest.k_multiples = MultipleByPass{.fwd = 8, .dgrad = 12};
  manifest.k_multiple = 24;
  return manifest;
}

TEST(Fit, FewRowsAreNotNone) {
  CaseSpec spec = parse_case("pass=fwd k=8 n=8 rows=0,1,1,1").value();
  Manifest manifest;
  manifest.max_rows = 1;
  fit_rows(spec, manifest);
  EXPECT_EQ(total_rows(spec), 1);
}

TEST(Fit, ExpertsAreLeftForWhatIsMadeOfTheCase) {
  Manifest manifest;
  const auto left = [&](Index most, Index times) {
    manifest.max_experts = most;
    return with_room_for_experts(manifest, times).max_experts;
  };
  EXPECT_EQ(left(0, 1), 0);  // no limit
  EXPECT_EQ(left(6, 1), 5);
  EXPECT_EQ(left(6, 2), 3);
  EXPECT_EQ(left(3, 2), 1);
  EXPECT_EQ(left(2, 1), 1);
  EXPECT_EQ(left(1, 1), 1);  // needs_two_experts
}

// Also where a kernel is compiled for a number of experts.
TEST(Fit, ChecksThatMakeExpertsStayWithinTheManifest) {
  Manifest manifest = wide_manifest();
  manifest.max_experts = 64;
  manifest.compiled_for.experts = true;
  int checks = 0;
  for (const Check& check : all_checks()) {
    if (check.times_experts == 0) { continue; }
    ++checks;
    for (Index index = 0; index < 50; ++index) {
      const CaseSpec spec = nth_case(*find_generator("many_experts"), check, manifest, 1, index);
      const Index made = std::max(spec.experts() + 1, check.times_experts * spec.experts());
      EXPECT_LE(made, 64) << check.name;
    }
  }
  EXPECT_EQ(checks, 3);
}

// A shape of a check's own, as that of a first call, has whole bytes.
TEST(Fit, WidthsAreMultiplesAndOfWholeBytes) {
  auto spec = parse_case("pass=fwd in=e2m1/nv out=fp32 k=32 n=8 rows=3,0,17 seed=4");
  ASSERT_TRUE(spec);
  spec->k = 19;
  Manifest manifest;
  manifest.k_multiple = 3;
  fit_widths(*spec, manifest);
  EXPECT_EQ(spec->k % 6, 0);
  EXPECT_TRUE(check_case(*spec));
}

TEST(GeneratorOfScaled, DrawsEveryPlaceOfScales) {
  const Manifest manifest = placed_manifest();
  const auto generators = all_generators();
  const auto scaled = std::ranges::find(generators, "scaled", &Generator::name);
  ASSERT_NE(scaled, generators.end());
  Index tiles = 0, columns = 0, aligned = 0, compact = 0;
  for (Index index = 0; index < 300; ++index) {
    const CaseSpec spec = nth_case(*scaled, all_checks().front(), manifest, 7, index);
    EXPECT_FALSE(exclusion(manifest, spec)) << canonical_text(spec);
    tiles += spec.scale_layout == ScaleLayout::k32x4x4;
    columns += spec.scale_pitch > 0;
    aligned += spec.scale_starts == ScaleStarts::kAligned;
    compact += takes_scale_starts(spec) && spec.scale_starts == ScaleStarts::kCompact;
  }
  EXPECT_GT(tiles, 60);
  EXPECT_GT(columns, 60);
  EXPECT_GT(aligned, 20);
  EXPECT_GT(compact, 20);
}

// But for strides and kinds, which some cases step out of to see that they are refused.
TEST_P(Generators, StayWithinWhatTheManifestAsksOfRowsAndSizes) {
  Manifest manifest = demanding_manifest();
  Index ragged = 0, cases = 0;
  for (const Check& check : all_checks()) {
    for (Index index = 0; index < 10; ++index) {
      const CaseSpec spec = nth_case(GetParam(), check, manifest, 5, index);
      ASSERT_TRUE(check_case(spec)) << canonical_text(spec);
      ++cases;
      ragged += std::ranges::any_of(spec.rows, [](Index rows) { return rows % 8 != 0; });
      const auto reason = exclusion(manifest, spec).value_or("");
      for (const char* const word : {"row_multiple", "least_rows", "total_rows_multiple",
                                     "max_experts", "max_rows", "k_multiple"}) {
        ASSERT_EQ(reason.find(word), std::string::npos) << check.name << ": " << reason;
      }
    }
  }
  EXPECT_GT(ragged, cases / 10);
}

TEST(GeneratorsOfCompiledKernels, DrawAFewShapesThatAllChecksShare) {
  Manifest manifest = wide_manifest();
  manifest.compiled_for = {.k = true, .n = true, .experts = true, .rows = true, .strides = true};
  std::set<std::vector<Index>> shapes;
  std::map<std::string, std::set<std::vector<Index>>> by_combination;
  std::uint64_t seed = 1;
  std::set<std::string_view> classes;
  for (const Generator& generator : all_generators()) {
    for (const Check& check : all_checks()) {
      if (check.enumerate != nullptr || check.name.starts_with("misaligned")) { continue; }
      for (Index index = 0; index < 5; ++index) {
        const CaseSpec spec = nth_case(generator, check, manifest, seed++, index);
        ASSERT_TRUE(check_case(spec)) << canonical_text(spec);
        const Index rows = lay_out_rows(spec).physical_rows;
        shapes.insert({spec.k, spec.n, spec.experts(), rows, spec.ld.x, spec.ld.w, spec.ld.y});
        by_combination[fmt::format("{} {} {} {} {}", inputs_text(spec.in, spec.pass),
                                   name(spec.out), name(spec.weights), adds_to_sums(spec),
                                   spec.tactic)]
            .insert({spec.k, spec.n, spec.experts()});
        for (const CaseClass& each : all_case_classes()) {
          if (each.holds(spec)) { classes.insert(each.name); }
        }
      }
    }
  }
  EXPECT_LT(shapes.size(), 16U);
  // Each combination of the rest is compiled by itself: one has all shapes, the others have few.
  ASSERT_GT(by_combination.size(), 4U);
  const auto has_many = [](const auto& one) { return one.second.size() > 4; };
  EXPECT_EQ(std::ranges::count_if(by_combination, has_many), 1);
  // What does not lie in the shape is drawn as ever.
  const std::set<std::string_view> groups = {"routing", "counts",  "pass",
                                             "format",  "weights", "fill"};
  for (const CaseClass& each : all_case_classes()) {
    if (groups.contains(each.group)) { EXPECT_TRUE(classes.contains(each.name)) << each.name; }
  }
}

std::string generator_name(const ::testing::TestParamInfo<Generator>& tested) {
  return std::string(tested.param.name);
}

INSTANTIATE_TEST_SUITE_P(All, Generators,
                         ::testing::ValuesIn(all_generators().begin(), all_generators().end()),
                         generator_name);

}  // namespace

void PrintTo(const Generator& generator, std::ostream* stream) { *stream << generator.name; }

}  // namespace assay
