// Every case that any generator draws for any check is one that the case text can say, under very
// different manifests.
#include <set>

#include <gtest/gtest.h>

#include "properties/check.h"
#include "properties/generators/generator.h"
#include "src/problem/case_text.h"

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

class Generators : public ::testing::TestWithParam<Generator> {};

TEST_P(Generators, DrawSayableCasesForEveryCheck) {
  for (const Manifest& manifest : {wide_manifest(), narrow_manifest()}) {
    for (const Check& check : all_checks()) {
      for (Index index = 0; index < 40; ++index) {
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

std::string generator_name(const ::testing::TestParamInfo<Generator>& tested) {
  return std::string(tested.param.name);
}

INSTANTIATE_TEST_SUITE_P(All, Generators,
                         ::testing::ValuesIn(all_generators().begin(), all_generators().end()),
                         generator_name);

}  // namespace

void PrintTo(const Generator& generator, std::ostream* stream) { *stream << generator.name; }

}  // namespace assay
