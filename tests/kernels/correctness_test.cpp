// Every built-in kernel against plain loops, over all that its manifest declares.
#include <gtest/gtest.h>

#include "src/kernels/registry.h"
#include "tests/core/sanitized.h"
#include "tests/kernels/grouped_call.h"

namespace assay {
namespace {

struct Formats {
  Format in, out;
};
constexpr Formats kFormats[] = {{Format::kBf16, Format::kBf16},
                                {Format::kBf16, Format::kFp32},
                                {Format::kFp16, Format::kFp16},
                                {Format::kFp16, Format::kFp32},
                                {Format::kFp32, Format::kFp32}};

class BuiltinKernels : public ::testing::TestWithParam<std::string> {
 protected:
  LoadedKernel kernel() const { return load_kernel(GetParam()).value(); }
  void expect_right(const CaseSpec& spec, int threads = 0) const {
    GroupedCall call(spec);
    ASSERT_EQ(call.run(kernel().run, threads), ASSAY_OK) << call.message();
    EXPECT_EQ(call.difference(), "") << description(spec);
  }
  static std::string description(const CaseSpec& spec) {
    return std::string(name(spec.pass)) + " in=" + inputs_text(spec.in, spec.pass) +
           " out=" + std::string(name(spec.out)) + " k=" + std::to_string(spec.k) +
           " n=" + std::to_string(spec.n) + " weights=" + std::string(name(spec.weights)) +
           " offsets=" + name(spec.offsets) + " tactic=" + spec.tactic;
  }
};

CaseSpec small_case() {
  CaseSpec spec;
  spec.k = 37;
  spec.n = 41;
  spec.rows = {3, 0, 33, 1, 0, 65};
  spec.seed = 1;
  return spec;
}

TEST_P(BuiltinKernels, AreRightInEveryPassFormatLayoutAndConvention) {
  for (const Pass pass : kAllPasses) {
    for (const Formats formats : kFormats) {
      for (const WeightsLayout layout : {WeightsLayout::kEnk, WeightsLayout::kEkn}) {
        for (const OffsetsKind& kind : kernel().manifest.offsets) {
          CaseSpec spec = small_case();
          spec.pass = pass;
          spec.in = formats.in;
          spec.out = formats.out;
          spec.weights = layout;
          spec.offsets = spec.told = kind;
          expect_right(spec);
        }
      }
    }
  }
}

TEST_P(BuiltinKernels, KeepGapsTailAndPaddingRows) {
  for (const Pass pass : kAllPasses) {
    for (const OffsetsKind& kind : kernel().manifest.offsets) {
      for (const WeightsLayout layout : {WeightsLayout::kEnk, WeightsLayout::kEkn}) {
        CaseSpec spec = small_case();
        spec.pass = pass;
        spec.weights = layout;
        spec.offsets = spec.told = kind;
        spec.pad = traits(kind.convention).expresses_gaps ? 16 : 1;
        spec.tail = kind.convention == Convention::kMasked ? 0 : 9;
        spec.ld = {3, 5, 7};
        spec.wpitch = 11;
        spec.base = {2, 6, 10};
        expect_right(spec);
        spec.base = {1, 3, 5};
        expect_right(spec);
      }
    }
  }
}

// Sanitized, one beyond each border is enough.
const std::vector<Index> kExtents =
    testing::kSanitized
        ? std::vector<Index>{1, 33, 129, 257}
        : std::vector<Index>{1, 7, 8, 9, 31, 32, 33, 127, 128, 129, 255, 256, 257, 300};

TEST_P(BuiltinKernels, AreRightAtEveryTileBorder) {
  std::vector<std::string> tactics = kernel().manifest.tactics;
  tactics.emplace_back("default");
  for (const std::string& tactic : tactics) {
    for (const Pass pass : kAllPasses) {
      for (const Index extent : kExtents) {
        CaseSpec spec;
        spec.pass = pass;
        spec.tactic = tactic;
        spec.k = extent;
        spec.n = 130;
        spec.rows = {1, 31, 0, 32, 33, 129};
        spec.in = Format::kFp16;
        spec.out = Format::kFp32;
        expect_right(spec);
        std::swap(spec.k, spec.n);
        spec.weights = WeightsLayout::kEkn;
        expect_right(spec, 3);
      }
    }
  }
}

TEST_P(BuiltinKernels, AddIntoTheGradientAndKeepEmptyExperts) {
  for (const WeightsLayout layout : {WeightsLayout::kEnk, WeightsLayout::kEkn}) {
    for (const int acc : {1, 3}) {
      CaseSpec spec = small_case();
      spec.pass = Pass::kWgrad;
      spec.out = Format::kFp32;
      spec.acc = acc;
      spec.weights = layout;
      spec.ld = {1, 2, 3};
      expect_right(spec);
    }
  }
}

TEST_P(BuiltinKernels, ReduceLongExpertsInParts) {
  CaseSpec spec;
  spec.pass = Pass::kWgrad;
  spec.in = Format::kFp16;
  spec.out = Format::kFp32;
  spec.k = 19;
  spec.n = 33;
  spec.rows = {0, 4500, 2048, 1};
  expect_right(spec);
}

TEST_P(BuiltinKernels, TakeNoRowsNoReductionAndNoColumns) {
  for (const Pass pass : kAllPasses) {
    for (const auto& rows : {std::vector<Index>{0}, {0, 0, 0}, {5, 0}}) {
      for (const auto& [k, n] : {std::pair<Index, Index>{0, 5}, {5, 0}, {0, 0}, {6, 7}}) {
        CaseSpec spec;
        spec.pass = pass;
        spec.rows = rows;
        spec.k = k;
        spec.n = n;
        spec.tail = 2;
        expect_right(spec);
      }
    }
  }
}

TEST_P(BuiltinKernels, TakeManyExperts) {
  for (const Index experts : {1, 2, 31, 33, 1025}) {
    CaseSpec spec;
    spec.k = 9;
    spec.n = 5;
    for (Index expert = 0; expert < experts; ++expert) { spec.rows.push_back(expert * expert % 4); }
    for (const Pass pass : kAllPasses) {
      spec.pass = pass;
      expect_right(spec);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BuiltinKernels, ::testing::Values("cpu", "loop", "padded"),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace assay
