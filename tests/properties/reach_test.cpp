// What checks and generators that count their cases off reach for sure, and what is drawn again
// where a manifest excludes it.
#include <algorithm>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "properties/generators/draw.h"
#include "properties/generators/fit.h"
#include "properties/generators/generator.h"
#include "properties/generators/model_table.h"
#include "properties/support/case_run.h"
#include "src/problem/case_text.h"
#include "src/problem/row_layout.h"
#include "tests/core/sanitized.h"

namespace assay {
namespace {

Manifest plain_manifest() {
  Manifest manifest;
  manifest.name = "plain";
  manifest.passes = {Pass::kFwd, Pass::kDgrad, Pass::kWgrad};
  manifest.formats = {{Format::kFp32, Format::kFp32}, {Format::kBf16, Format::kBf16}};
  manifest.weights = {WeightsLayout::kEnk, WeightsLayout::kEkn};
  manifest.offsets = {{Convention::kEnds}, {Convention::kMasked}, {Convention::kStarts}};
  manifest.base_bytes = 4;
  return manifest;
}

// The cases of one line of profile quick, or of as many cases as are asked for.
std::vector<CaseSpec> drawn(std::string_view check, std::string_view generator, Index count,
                            const Manifest& manifest = plain_manifest()) {
  std::vector<CaseSpec> cases;
  for (Index index = 0; index < count; ++index) {
    cases.push_back(nth_case(*find_generator(generator), *find_check(check), manifest, 5, index));
  }
  return cases;
}

Index quick_cases(std::string_view check) { return find_check(check)->draws.front().quick; }

TEST(Reach, EveryCountOfRowsComesInEveryPass) {
  std::set<std::pair<Pass, Index>> seen;
  for (const CaseSpec& spec : drawn("exact_integers_match_bitwise", "row_counts", 96)) {
    for (const Index rows : spec.rows) { seen.emplace(spec.pass, rows); }
  }
  for (const Pass pass : kAllPasses) {
    for (Index rows = 1; rows <= 17; ++rows) { EXPECT_TRUE(seen.contains({pass, rows})) << rows; }
    for (const Index around : {24, 48, 96, 192, 384}) {
      for (const Index rows : {around - 1, around, around + 1}) {
        EXPECT_TRUE(seen.contains({pass, rows})) << rows;
      }
    }
  }
}

TEST(Reach, ThousandsOfRowsAreExact) {
  std::set<std::pair<Pass, Index>> seen;
  for (const CaseSpec& spec : drawn("exact_integers_match_bitwise", "row_powers", 60)) {
    seen.emplace(spec.pass, total_rows(spec));
  }
  for (const Pass pass : kAllPasses) {
    for (Index rows = 512; rows <= 65536; rows *= 2) {
      EXPECT_TRUE(seen.contains({pass, rows})) << rows;
    }
  }
}

TEST(Reach, OneToSixteenTilesASide) {
  std::set<Index> across, down;
  for (const CaseSpec& spec : drawn("exact_integers_match_bitwise", "wide", 96)) {
    EXPECT_LE(longest_reduction(spec), 8);
    const Operation& product = operation(spec.pass);
    const AxisSizes sizes = axis_sizes(spec, *std::ranges::max_element(spec.rows));
    across.insert((sizes[product.n()] + 127) / 128);
    down.insert((sizes[product.m()] + 127) / 128);
  }
  for (Index tiles = 1; tiles <= 16; ++tiles) {
    EXPECT_TRUE(across.contains(tiles)) << tiles;
    EXPECT_TRUE(down.contains(tiles)) << tiles;
  }
}

TEST(Reach, ModelsComeWholeInEveryPassAndStayAffordable) {
  std::set<Pass> whole;
  std::set<Index> experts;
  const auto models = std::ssize(all_model_shapes());
  for (const CaseSpec& spec : drawn("exact_integers_match_bitwise", "model_shapes", 4 * models)) {
    EXPECT_LE(multiply_adds(spec), 20'000'000) << canonical_text(spec);
    // A neighbour of a power of two may be a row and a column more.
    const Index beside = spec.k + spec.n;
    EXPECT_LE(spec.experts() * spec.k * spec.n, (Index{8} << 20) + beside) << canonical_text(spec);
    if (spec.k >= 1024 && spec.n >= 1024) { whole.insert(spec.pass); }
    experts.insert(spec.experts());
  }
  EXPECT_EQ(whole.size(), 3U);
  for (const ModelShape& model : all_model_shapes()) {
    EXPECT_TRUE(experts.contains(model.experts)) << model.name;
  }
}

// The largest offset, in elements, at which an expert with rows starts.
Index last_start(const CaseSpec& spec, Role role) {
  const RowLayout layout = lay_out_rows(spec);
  Index last = 0;
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    if (layout.counts[expert] == 0) { continue; }
    last = std::max(last, role == Role::kW ? expert * expert_pitch(spec)
                                           : layout.starts[expert] * row_pitch(spec, role));
  }
  return last;
}

TEST(Reach, GroupsWithRowsStartBeyondBothBorders) {
  for (const char* const device : {"cpu", "cuda"}) {
    Manifest manifest = plain_manifest();
    manifest.device = device;
    const char* const check = "indices_beyond_2_31";
    std::set<std::pair<Role, int>> seen;
    for (const CaseSpec& spec : drawn(check, "small", quick_cases(check), manifest)) {
      for (const Role role : kAllRoles) {
        const Index start = last_start(spec, role);
        if (start >= Index{1} << 31) { seen.emplace(role, 31); }
        if (start >= Index{1} << 32) { seen.emplace(role, 32); }
        const Index bytes = start * size_bytes(format_of(spec, role));
        if (bytes >= Index{1} << 31 && start < Index{1} << 31) { seen.emplace(role, 8); }
      }
      EXPECT_FALSE(exclusion(manifest, spec)) << canonical_text(spec);
    }
    EXPECT_EQ(seen.size(), 9U) << device;
  }
}

TEST(Reach, RowsGoBeyondSixteenBitsInOneExpertAndInTotal) {
  bool multiple = false, many_experts = false;
  Index most = 0;
  for (const CaseSpec& spec : drawn("rows_beyond_32768", "small", 22)) {
    const Index largest = *std::ranges::max_element(spec.rows);
    most = std::max(most, largest);
    multiple = multiple || (largest > 0 && largest % 65536 == 0);
    many_experts = many_experts || (spec.experts() >= 256 && total_rows(spec) > 65536);
  }
  EXPECT_GT(most, 131072);
  EXPECT_TRUE(multiple && many_experts);
}

// A kernel whose manifest excludes most of what is drawn.
Manifest sixteen_experts_manifest() {
  Manifest manifest = plain_manifest();
  manifest.max_experts = 16;
  manifest.max_rows = 3000;
  manifest.row_multiple = 8;
  return manifest;
}

TEST(Reach, EveryWidthOfAModelIsKAndNInEveryPass) {
  std::set<std::tuple<Pass, bool, Index>> seen;
  for (const CaseSpec& spec : drawn("exact_integers_match_bitwise", "model_widths", 150)) {
    seen.insert({spec.pass, true, spec.k});
    seen.insert({spec.pass, false, spec.n});
  }
  for (const Index width : all_model_widths()) {
    for (const Pass pass : kAllPasses) {
      for (const bool is_k : {false, true}) {
        EXPECT_TRUE(seen.contains({pass, is_k, width}))
            << name(pass) << ' ' << is_k << ' ' << width;
      }
    }
  }
}

TEST(Reach, ExpertsOfAModelComeWithAWideK) {
  std::set<Pass> seen;
  for (const CaseSpec& spec : drawn("exact_integers_match_bitwise", "many_experts", 96)) {
    if (spec.experts() >= 100 && spec.experts() <= 200 && spec.k >= 64) { seen.insert(spec.pass); }
  }
  EXPECT_EQ(seen.size(), 3u);
}

// What one call keeps of another's routing shows only where their experts start at other rows.
TEST(Reach, LongCallsMeetWithOtherStartsInEveryPass) {
  std::set<Pass> seen;
  for (const CaseSpec& spec : drawn("concurrent_calls_do_not_meet", "small", 57)) {
    if (spec.experts() != 4 || spec.k != 192 || spec.seed % 3 != 0) { continue; }
    const std::vector<Index> starts = lay_out_rows(spec).starts;
    std::vector<Index> reversed = spec.rows;
    std::ranges::reverse(reversed);
    Index start = 0;
    bool differ = true;
    for (std::size_t expert = 0; expert < reversed.size(); ++expert) {
      differ = differ && (expert == 0 || start != starts[expert]);
      start += reversed[expert];
    }
    if (differ) { seen.insert(spec.pass); }
  }
  EXPECT_EQ(seen.size(), 3u);
}

TEST(Reach, AccumulationIsDrawnWhereTheManifestHasTheOutput) {
  Manifest manifest = plain_manifest();
  manifest.accumulate = true;
  manifest.formats = {{Format::kBf16, Format::kBf16}, {Format::kFp16, Format::kFp32}};
  Index accumulating = 0;
  for (const Check& check : all_checks()) {
    if (check.not_applicable(manifest)) { continue; }
    for (Index index = 0; index < 30; ++index) {
      const CaseSpec spec = nth_case(*find_generator("small"), check, manifest, 5, index);
      EXPECT_FALSE(spec.in == Format::kBf16 && spec.out == Format::kFp32) << check.name;
      accumulating += spec.acc > 0;
    }
  }
  EXPECT_GT(accumulating, 20);
}

TEST(Reach, WhatAManifestExcludesIsDrawnAgain) {
  const Manifest manifest = sixteen_experts_manifest();
  for (const Check& check : all_checks()) {
    if (check.leaves_manifest || check.not_applicable(manifest)) { continue; }
    for (const Generator& generator : all_generators()) {
      Index outside = 0;
      constexpr Index kCases = testing::sanitized_share(32);
      for (Index index = 0; index < kCases; ++index) {
        const CaseSpec spec = nth_case(generator, check, manifest, 3, index);
        if (exclusion(manifest, spec)) { ++outside; }
      }
      // One in 16 is drawn outside on purpose, of what is enumerated none.
      EXPECT_LE(outside, kCases / 4) << check.name << " " << generator.name;
      if (generator.nth != nullptr) { EXPECT_EQ(outside, 0) << check.name; }
    }
  }
}

TEST(Reach, RowsAreFittedToTheManifest) {
  CaseSpec spec = *parse_case("pass=fwd k=8 n=8 rows=3*40,2000 offsets=starts pad=4 tail=9000");
  fit_rows(spec, sixteen_experts_manifest());
  EXPECT_FALSE(exclusion(sixteen_experts_manifest(), spec)) << canonical_text(spec);
  EXPECT_EQ(spec.experts(), 16);
  CaseSpec masked = *parse_case("pass=fwd k=8 n=8 rows=3,2,1 offsets=masked");
  fit_rows(masked, sixteen_experts_manifest());
  EXPECT_EQ(masked.cap, 8);
  EXPECT_EQ(masked.rows, (std::vector<Index>{3, 2, 1}));
}

}  // namespace
}  // namespace assay
