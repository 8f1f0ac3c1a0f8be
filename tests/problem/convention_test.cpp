#include "src/problem/convention.h"

#include <set>

#include <gtest/gtest.h>

#include "src/problem/case_words.h"
#include "tests/problem/random_case.h"

namespace assay {
namespace {

TEST(Convention, EveryRowIsComplete) {
  std::set<std::string_view> names;
  for (const Convention convention : kAllConventions) {
    const ConventionTraits& row = traits(convention);
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(names.insert(row.name).second);
    for (const std::string_view text : {row.forms, row.meaning, row.example, row.reading}) {
      EXPECT_FALSE(text.empty());
    }
    ASSERT_FALSE(row.kinds.empty());
    for (const OffsetsKind& kind : row.kinds) { EXPECT_EQ(kind.convention, convention); }
    EXPECT_EQ(row.kinds.front(), OffsetsKind{.convention = convention});
    EXPECT_FALSE(row.experts == nullptr || row.rows == nullptr || row.encode == nullptr ||
                 row.validate == nullptr || row.decode == nullptr);
    EXPECT_FALSE(row.has_buffers && row.expresses_gaps);
  }
}

TEST(Convention, TheCaseTextListsEveryConventionAndFormat) {
  for (const CaseWord& word : case_words()) {
    if (word.key == "offsets" || word.key == "told") {
      EXPECT_EQ(
          word.forms,
          "ends[:i64], starts[:i64], indptr[:i64], counts, counts:i64[:host], row_ids, masked, "
          "padded_ends[:i64], problems");
    }
    if (word.key == "out") {
      EXPECT_EQ(word.forms, "bf16, fp16, fp32, e4m3, e5m2, with a scale as e4m3/tensor");
    }
    if (word.key == "in") {
      EXPECT_EQ(
          word.forms,
          "bf16, fp16, fp32, e4m3, e5m2, e2m1, int8, with scales as e4m3/block128, by operand "
          "as x:bf16,w:e2m1/mx");
    }
    if (word.key == "pass") { EXPECT_EQ(word.forms, "fwd, dgrad, wgrad"); }
  }
}

TEST(Convention, WhatMayBeToldNeedsNoMoreThanOneArray) {
  EXPECT_TRUE(may_be_told(Convention::kStarts, Convention::kStarts));
  EXPECT_TRUE(may_be_told(Convention::kStarts, Convention::kEnds));
  EXPECT_TRUE(may_be_told(Convention::kCounts, Convention::kIndptr));
  EXPECT_FALSE(may_be_told(Convention::kEnds, Convention::kStarts));
  EXPECT_FALSE(may_be_told(Convention::kEnds, Convention::kMasked));
  EXPECT_FALSE(may_be_told(Convention::kEnds, Convention::kProblems));
  EXPECT_FALSE(may_be_told(Convention::kProblems, Convention::kEnds));
}

TEST(Convention, NamesOfATraitAreASentencesList) {
  EXPECT_EQ(names_of_conventions([](const ConventionTraits& row) { return row.expresses_gaps; }),
            "starts, row_ids, padded_ends and problems");
  EXPECT_EQ(names_of_conventions([](const ConventionTraits& row) { return row.has_buffers; }),
            "masked");
}

// The reading that checks nothing and the one that checks everything agree on valid arrays.
TEST(Convention, MisreadingAsItselfIsDecoding) {
  Rng rng(1);
  int tried = 0;
  for (int i = 0; i < 2000; ++i) {
    const CaseSpec spec = draw_any_case(rng);
    const ConventionTraits& row = traits(spec.offsets.convention);
    if (row.misread == nullptr || row.has_sizes()) { continue; }
    ++tried;
    SCOPED_TRACE(canonical_text(spec));
    const RowLayout layout = lay_out_rows(spec);
    const OffsetsFrame frame = frame_of(spec);
    const auto rows = row.misread(encode_offsets(layout, spec.offsets, frame).values, frame);
    ASSERT_EQ(rows.size(), layout.starts.size());
    for (std::size_t g = 0; g < rows.size(); ++g) {
      if (layout.counts[g] == 0) { continue; }
      ASSERT_EQ(rows[g].first, layout.starts[g]);
      ASSERT_EQ(rows[g].last, layout.starts[g] + layout.counts[g]);
    }
  }
  EXPECT_GT(tried, 500);
}

// What the arrays need is at most what their case has, and they hold its experts.
TEST(Convention, ArraysHoldTheirExpertsAndRows) {
  Rng rng(2);
  for (int i = 0; i < 2000; ++i) {
    const CaseSpec spec = draw_any_case(rng);
    SCOPED_TRACE(canonical_text(spec));
    const ConventionTraits& row = traits(spec.offsets.convention);
    const OffsetsFrame frame = frame_of(spec);
    const OffsetArrays arrays = encode_offsets(lay_out_rows(spec), spec.offsets, frame);
    ASSERT_LE(row.experts(arrays), spec.experts());
    if (!row.has_row_entries) { ASSERT_EQ(row.experts(arrays), spec.experts()); }
    ASSERT_LE(row.rows(arrays, frame), frame.physical_rows);
    ASSERT_GE(row.rows(arrays, frame), total_rows(spec));
  }
}

}  // namespace
}  // namespace assay
