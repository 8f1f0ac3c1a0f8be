#include "src/problem/convention.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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
      EXPECT_EQ(word.forms,
                "ends, starts[:i64], indptr[:i64], counts, counts:i64[:host], row_ids, masked, "
                "padded_ends, problems");
    }
    if (word.key == "in" || word.key == "out") {
      EXPECT_EQ(word.forms, "bf16, fp16, fp32, e4m3, e5m2");
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
  EXPECT_EQ(names_of_conventions(&ConventionTraits::expresses_gaps),
            "starts, row_ids, padded_ends and problems");
  EXPECT_EQ(names_of_conventions(&ConventionTraits::has_buffers), "masked");
}

// The reading that checks nothing and the one that checks everything agree on valid arrays.
RC_GTEST_PROP(Convention, MisreadingAsItselfIsDecoding, ()) {
  const CaseSpec spec = *any_case();
  const ConventionTraits& row = traits(spec.offsets.convention);
  RC_PRE(row.misread != nullptr && !row.has_sizes());
  const RowLayout layout = lay_out_rows(spec);
  const OffsetsFrame frame = frame_of(spec);
  const std::vector<RowRange> rows =
      row.misread(encode_offsets(layout, spec.offsets, frame).values, frame);
  // indptr names an expert's rows by this entry and the next.
  RC_ASSERT(rows.size() == layout.starts.size());
  for (std::size_t g = 0; g < rows.size(); ++g) {
    RC_ASSERT(rows[g].last - rows[g].first == layout.counts[g]);
    if (layout.counts[g] > 0) { RC_ASSERT(rows[g].first == layout.starts[g]); }
  }
}

// What a list of offsets needs is at most what its case has, and holds its experts.
RC_GTEST_PROP(Convention, ArraysHoldTheirExpertsAndRows, ()) {
  const CaseSpec spec = *any_case();
  const ConventionTraits& row = traits(spec.offsets.convention);
  const OffsetsFrame frame = frame_of(spec);
  const OffsetArrays arrays = encode_offsets(lay_out_rows(spec), spec.offsets, frame);
  if (row.has_row_entries) {
    RC_ASSERT(row.experts(arrays) <= spec.experts());
  } else {
    RC_ASSERT(row.experts(arrays) == spec.experts());
  }
  RC_ASSERT(row.rows(arrays, frame) <= frame.physical_rows);
  RC_ASSERT(row.rows(arrays, frame) >= total_rows(spec));
}

}  // namespace
}  // namespace assay
