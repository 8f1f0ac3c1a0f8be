// What a manifest excludes, and why.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/problem/case_text.h"
#include "tests/kernels/small_manifest.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

CaseSpec aligned_case() {
  CaseSpec spec;
  spec.k = 64;
  spec.n = 32;
  spec.rows = {128, 0, 256};
  return spec;
}

struct Exclusion {
  std::string fields, reason;
  std::function<void(CaseSpec&)> change;
};

TEST(Exclusion, NamesWhatTheManifestLeavesOut) {
  const Exclusion exclusions[] = {
      {"", "pass=dgrad", [](CaseSpec& s) { s.pass = Pass::kDgrad; }},
      {"", "in=fp16 out=bf16", [](CaseSpec& s) { s.in = Format::kFp16; }},
      {"", "weights=ekn", [](CaseSpec& s) { s.weights = WeightsLayout::kEkn; }},
      {"", "told=counts", [](CaseSpec& s) { s.told.convention = Convention::kCounts; }},
      {"", "told=indptr ", [](CaseSpec& s) { s.told.convention = Convention::kIndptr; }},
      {"", "acc=2", [](CaseSpec& s) { s.acc = 2; }},
      {R"("accumulate": true)", "wgrad into fp32 only", [](CaseSpec& s) { s.acc = 1; }},
      {"", "bias=fp32", [](CaseSpec& s) { s.bias = Format::kFp32; }},
      {R"("bias": ["bf16"])", "bias=fp16 is not among the manifest's bias",
       [](CaseSpec& s) { s.bias = Format::kFp16; }},
      {"", "tactic=fast", [](CaseSpec& s) { s.tactic = "fast"; }},
      {"", "base=y:8", [](CaseSpec& s) { s.base.y = 8; }},
      {R"("ld_multiple": 8)", "row stride 67 of w", [](CaseSpec& s) { s.ld.w = 3; }},
      {R"("ld_multiple": 8)", "wpitch=4", [](CaseSpec& s) { s.wpitch = 4; }},
      {R"("k_multiple": 16)", "k=72", [](CaseSpec& s) { s.k = 72; }},
      {R"("n_multiple": 16)", "n=40", [](CaseSpec& s) { s.n = 40; }},
      {R"("max_experts": 3)", "4 experts", [](CaseSpec& s) { s.rows.push_back(0); }},
      {R"("max_rows": 400)", "404 physical rows", [](CaseSpec& s) { s.tail = 20; }},
      {R"("k_multiple": {"fwd": 16, "dgrad": 128})",
       "k=72 is not a multiple of k_multiple 16 of fwd", [](CaseSpec& s) { s.k = 72; }},
      {R"("strides": "dense")", "ld=y:3", [](CaseSpec& s) { s.ld.y = 3; }},
      {R"("strides": "dense")", "wpitch=64", [](CaseSpec& s) { s.wpitch = 64; }},
      {R"("least_rows": 8)", "7 rows of expert 1", [](CaseSpec& s) { s.rows[1] = 7; }},
      {R"("total_rows_multiple": 64)", "385 physical rows", [](CaseSpec& s) { s.tail = 1; }},
      {R"("row_multiple": 128)", "expert 2", [](CaseSpec& s) { s.rows[2] = 255; }},
      {R"("row_multiple": 128)", "expert 0", [](CaseSpec& s) { s.rows[0] = 100; }},
      {"", "exec=graph", [](CaseSpec& s) { s.exec.kind = ExecKind::kGraph; }},
      {"", "exec=streams", [](CaseSpec& s) { s.exec.kind = ExecKind::kStreams; }},
  };
  for (const Exclusion& example : exclusions) {
    const Manifest manifest = manifest_with(example.fields);
    CaseSpec spec = aligned_case();
    EXPECT_EQ(exclusion(manifest, spec), std::nullopt) << example.reason;
    example.change(spec);
    EXPECT_THAT(exclusion(manifest, spec).value_or("accepted"), HasSubstr(example.reason));
  }
}

TEST(Exclusion, PaddingSatisfiesARowMultiple) {
  const Manifest manifest = manifest_with(R"("row_multiple": 128)");
  CaseSpec spec = aligned_case();
  spec.rows = {1, 0, 130};
  spec.pad = 128;
  EXPECT_EQ(exclusion(manifest, spec), std::nullopt);
}

TEST(Exclusion, TellsWhatOnlyTheOffsetsTell) {
  CaseSpec spec = aligned_case();
  spec.rows[2] = 255;
  EXPECT_THAT(
      exclusion_by_offsets(manifest_with(R"("row_multiple": 128)"), spec).value_or("nothing"),
      HasSubstr("row_multiple 128"));
  EXPECT_EQ(exclusion_by_offsets(manifest_with(R"("row_multiple": 1)"), spec), std::nullopt);
  // The call tells, too.
  EXPECT_EQ(exclusion_by_offsets(manifest_with(R"("row_multiple": 128, "max_experts": 2)"), spec),
            std::nullopt);
  spec.offsets = spec.told = {Convention::kCounts, IndexType::kI64, OffsetsPlace::kHost};
  Manifest on_host = manifest_with(R"("row_multiple": 128)");
  on_host.offsets.push_back(spec.told);
  EXPECT_NE(exclusion(on_host, spec), std::nullopt);
  EXPECT_EQ(exclusion_by_offsets(on_host, spec), std::nullopt);
}

TEST(Exclusion, TailRowsSatisfyARowMultiple) {
  const Manifest manifest = manifest_with(R"("row_multiple": 128)");
  CaseSpec spec = aligned_case();
  spec.rows = {128, 3, 0};
  spec.tail = 125;
  EXPECT_EQ(exclusion(manifest, spec), std::nullopt);
  spec.tail = 124;
  EXPECT_NE(exclusion(manifest, spec), std::nullopt);
}

TEST(Exclusion, TakesThreadsOnEveryKernel) {
  CaseSpec spec = aligned_case();
  spec.exec = {ExecKind::kThreads, 4};
  EXPECT_EQ(exclusion(manifest_with(""), spec), std::nullopt);
}

// A combination that names its operands is of the pass that reads them.

}  // namespace
}  // namespace assay
