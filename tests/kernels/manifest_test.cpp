#include "src/contract/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/kernels/registry.h"
#include "src/problem/case_text.h"
#include "tests/kernels/small_manifest.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string message(const std::string& json) {
  const Result<Manifest> manifest = parse_manifest(json);
  return manifest ? "accepted" : manifest.error().message;
}

TEST(Manifest, GivesDefaultsForWhatIsLeftOut) {
  const Manifest manifest = manifest_with("");
  EXPECT_EQ(manifest.name, "k");
  EXPECT_EQ(manifest.device, "cpu");
  EXPECT_EQ(manifest.wgrad_formats, manifest.formats);
  EXPECT_EQ(manifest.offsets[1].type, IndexType::kI64);
  EXPECT_EQ(manifest.base_bytes, 16);
  EXPECT_EQ(manifest.max_rows, 0);
  EXPECT_EQ(manifest.invalid_offsets, InvalidOffsets::kUndefined);
  EXPECT_FALSE(manifest.deterministic);
  EXPECT_EQ(manifest.arithmetic.kind, DeclaredArithmetic::Kind::kUndeclared);
}

TEST(Manifest, ReadsEveryField) {
  const Manifest manifest = manifest_with(R"("device": "cuda",
    "wgrad_formats": [{"in": "bf16", "out": "fp32"}], "accumulate": true,
    "bias": ["fp32", "bf16"], "bias_added": "first",
    "tactics": ["t1", "t2"], "tiles": {"t2": [64, 128, 32]},
    "base_bytes": 32, "k_multiple": 8, "n_multiple": 4, "row_multiple": 128, "ld_multiple": 2,
    "max_experts": 1024, "max_rows": 65536, "workspace_bytes": 4096,
    "tail_rows": "zeroed", "padding_rows": "undefined", "padding_input": "zeros",
    "subnormals": "ftz", "overflow": "saturated", "conversion": "tf32_rna",
    "invalid_offsets": "flagged", "stream_ordered": true, "graph_capturable": true,
    "deterministic": true, "batch_invariant": true,
    "arithmetic": {"kind": "tensor_core", "products_per_step": 16, "fraction_bits": 25,
                   "out_bits": 22, "order": "any", "splits": 4, "partials": "bf16",
                   "promotion_interval": 128})");
  EXPECT_EQ(manifest.device, "cuda");
  EXPECT_EQ(manifest.wgrad_formats.size(), 1u);
  EXPECT_TRUE(manifest.accumulate);
  EXPECT_THAT(manifest.bias, ::testing::ElementsAre(Format::kFp32, Format::kBf16));
  EXPECT_EQ(manifest.bias_added, BiasAdded::kFirst);
  EXPECT_THAT(manifest.tactics, ::testing::ElementsAre("t1", "t2"));
  ASSERT_EQ(manifest.tiles.size(), 1u);
  EXPECT_EQ(manifest.tiles[0].tactic, "t2");
  EXPECT_EQ(manifest.tiles[0].k, 32);
  EXPECT_EQ(manifest.base_bytes, 32);
  EXPECT_EQ(manifest.k_multiple, 8);
  EXPECT_EQ(manifest.n_multiple, 4);
  EXPECT_EQ(manifest.row_multiple, 128);
  EXPECT_EQ(manifest.ld_multiple, 2);
  EXPECT_EQ(manifest.max_experts, 1024);
  EXPECT_EQ(manifest.max_rows, 65536);
  EXPECT_EQ(manifest.workspace_bytes, 4096u);
  EXPECT_EQ(manifest.tail_rows, UnownedRows::kZeroed);
  EXPECT_EQ(manifest.padding_rows, UnownedRows::kUndefined);
  EXPECT_EQ(manifest.padding_input, PaddingInput::kZeros);
  EXPECT_THAT(manifest.subnormals.flushed_outputs,
              ::testing::ElementsAre(Format::kFp32, Format::kBf16));
  EXPECT_TRUE(manifest.subnormals.input_flushed(Format::kFp16));
  EXPECT_FALSE(manifest.subnormals.input_flushed(Format::kE2m1));
  EXPECT_TRUE(manifest.saturates(Format::kFp32));
  EXPECT_EQ(manifest.conversion, "tf32_rna");
  EXPECT_EQ(manifest.invalid_offsets, InvalidOffsets::kFlagged);
  EXPECT_TRUE(manifest.stream_ordered && manifest.graph_capturable);
  EXPECT_TRUE(manifest.deterministic && manifest.batch_invariant);
  const DeclaredArithmetic& arithmetic = manifest.arithmetic;
  EXPECT_EQ(arithmetic.kind, DeclaredArithmetic::Kind::kTensorCore);
  EXPECT_EQ(arithmetic.products_per_step, 16);
  EXPECT_EQ(arithmetic.fraction_bits, 25);
  EXPECT_EQ(arithmetic.out_bits, 22);
  EXPECT_EQ(arithmetic.splits, 4);
  EXPECT_EQ(arithmetic.partials, "bf16");
  EXPECT_EQ(arithmetic.promotion_interval, 128);
  EXPECT_FALSE(arithmetic.ascending);
}

TEST(Manifest, NamesLineAndColumnOfASyntaxError) {
  EXPECT_THAT(message("{\"name\": \"k\",\n  \"passes\": [\"fwd\",]}"),
              AllOf(HasSubstr("not JSON at line 2 column 20"), HasSubstr("']'")));
  EXPECT_THAT(message(""), HasSubstr("not JSON at line 1 column 1"));
  EXPECT_THAT(message("[1]"), HasSubstr("[1] is not a JSON object"));
}

struct Refusal {
  std::string field, quoted, allowed;
};

TEST(Manifest, RefusesWhatItDoesNotKnowAndQuotesIt) {
  const Refusal refusals[] = {
      {R"("speed": 3)", "'speed'", "allowed are name"},
      {R"("name": "again")", "'name'", "given once"},
      {R"("deterministic": 1)", "'deterministic'", "neither true nor false"},
      {R"("base_bytes": "16")", "'base_bytes'", "integer from 1 to 256"},
      {R"("base_bytes": 24)", "'base_bytes'", "power of two"},
      {R"("base_bytes": 512)", "512", "from 1 to 256"},
      {R"("k_multiple": 1.5)", "1.5", "integer from 1"},
      {R"("max_experts": 0)", "'max_experts'", "integer from 1"},
      {R"("max_rows": -3)", "-3", "integer from 1"},
      {R"("max_rows": 18446744073709551615)", "18446744073709551615", "integer from 1"},
      {R"("tail_rows": "kept")", "\"kept\"", "untouched, zeroed, undefined"},
      {R"("device": "tpu")", "\"tpu\"", "cpu, cuda"},
      {R"("tactics": ["a", "a"])", "\"a\"", "listed twice"},
      {R"("tactics": ["default"])", "\"default\"", "not among them"},
      {R"("tactics": ["$x"])", "\"$x\"", "letters, digits, _ . - + :"},
      {R"("k_multiple": 1048576)", "1048576", "integer from 1 to 4096"},
      {R"("tactics": "rows32")", "\"rows32\"", "not an array"},
      {R"("tiles": {"t": [1, 2, 3]})", "'t'", "not one of the tactics, nor default"},
      {R"("tactics": ["t"], "tiles": {"t": [1, 2]})", "[1,2]", "[rows, columns, reduction]"},
      {R"("wgrad_formats": [{"in": "bf16"}])", "{\"in\":\"bf16\"}", "\"out\": \"fp32\""},
      {R"("wgrad_formats": [{"in": "bf16", "out": "int4"}])", "int4",
       "bf16, fp16, fp32, e4m3, e5m2"},
      {R"("wgrad_formats": [])", "[]", "an array"},
      {R"("wgrad_formats": [{"in": "x:bf16,y:e4m3", "out": "fp16"}])", "fp16",
       "cannot have the output"},
      {R"("wgrad_formats": [{"in": "x:bf16,w:e4m3", "out": "bf16"}])", "wgrad",
       "no combination is of wgrad"},
      {R"("wgrad_formats": [{"in": "x:bf16/row,y:e4m3", "out": "bf16"}])", "/row", "8 bits"},
  };
  for (const Refusal& refusal : refusals) {
    EXPECT_THAT(message(with_required(refusal.field)),
                AllOf(HasSubstr(refusal.quoted), HasSubstr(refusal.allowed)))
        << refusal.field;
  }
}

TEST(Manifest, RefusesArithmeticThatCannotBe) {
  const Refusal refusals[] = {
      {R"("arithmetic": 3)", "'arithmetic'", "not an object"},
      {R"("arithmetic": {})", "'arithmetic.kind'", "missing"},
      {R"("arithmetic": {"kind": "fma", "magic": 1})", "'arithmetic.magic'", "allowed are kind"},
      {R"("arithmetic": {"kind": "fma", "kind": "fma"})", "'kind'", "given once"},
      {R"("arithmetic": {"kind": "tensor_core", "order": "ascending", "out_bits": 24})",
       "'arithmetic.out_bits'", "from 1 to 23"},
      {R"("arithmetic": {"kind": "tensor_core", "order": "ascending", "products_per_step": 16,
          "fraction_bits": 60})",
       "'arithmetic.fraction_bits'", "from 1 to 46"},
      {R"("arithmetic": {"kind": "tensor_core", "out_bits": 30})", "'arithmetic.out_bits'",
       "from 1 to 23"},
      {R"("arithmetic": {"kind": "tensor_core", "fraction_bits": 60})",
       "'arithmetic.fraction_bits'", "from 1 to 50"},
      {R"("arithmetic": {"kind": "fma", "promotion_interval": 128})",
       "'arithmetic.promotion_interval'", "tensor_core"},
      {R"("arithmetic": {"kind": "int32", "scales": "operands"})", "'arithmetic.scales'", "sums"},
      {R"("arithmetic": {"kind": "fma", "integers": "int32", "scales": "operands_bf16"})",
       "'arithmetic.scales'", "sums"},
      {R"("arithmetic": {"kind": "fma", "integers": "int16"})", "'arithmetic.integers'", "int32"},
      {R"("arithmetic": {"kind": "int32", "integers": "int32"})", "'arithmetic.integers'", "fma"},
      {R"("arithmetic": {"kind": "int32", "promotion_interval": 128})",
       "'arithmetic.promotion_interval'", "sums"},
      {R"("arithmetic": {"kind": "int32", "products_per_step": 4})",
       "'arithmetic.products_per_step'", "tensor_core"},
      {R"("scale_pitches": 4)", "'scale_pitches'", "list of 0 (row by row)"},
      {R"("scale_layouts": ["plain"])", "'scale_layouts'", "none of strided, 32_4_4"},
      {R"("scale_layouts": [])", "'scale_layouts'", "the list is empty"},
      {R"("scale_starts": "aligned")", "'scale_starts'", "not an array of compact, aligned"},
      {R"("scale_starts": ["aligned"])", "'scale_starts'", "needs offsets that express gaps"},
      {R"("scale_pitches": [-1])", "'scale_pitches'", "list of 0 (row by row)"},
      {R"("arithmetic": {"kind": "fma", "out_bits": 23})", "'arithmetic.out_bits'", "tensor_core"},
      {R"("arithmetic": {"kind": "tensor_core", "fused": true})", "'arithmetic.fused'", "fma"},
      {R"("arithmetic": {"kind": "undeclared", "splits": 2})", "'arithmetic.kind'",
       "no other field"},
  };
  for (const Refusal& refusal : refusals) {
    EXPECT_THAT(message(with_required(refusal.field)),
                AllOf(HasSubstr(refusal.quoted), HasSubstr(refusal.allowed)))
        << refusal.field;
  }
}

TEST(Manifest, RefusesWhatDemandsCannotBe) {
  const Refusal refusals[] = {
      {R"("k_multiple": {"fwd": 8, "bwd": 4})", "'k_multiple.bwd'", "fwd, dgrad, wgrad"},
      {R"("k_multiple": {"fwd": 4096, "dgrad": 3})", "12288", "more than 4096"},
      {R"("n_multiple": {"wgrad": 0})", "'n_multiple.wgrad'", "integer from 1"},
      {R"("least_rows": 0)", "'least_rows'", "integer from 1"},
      {R"("total_rows_multiple": -8)", "-8", "integer from 1"},
      {R"("strides": "wide")", "\"wide\"", "any, dense"},
      {R"("subnormals": "lost")", "\"lost\"", "kept, ftz"},
      {R"("subnormals": {"inputs": ["int4"]})", "\"int4\"", "bf16, fp16, fp32"},
      {R"("subnormals": {"sums": true})", "'subnormals.sums'", "inputs, outputs"},
      {R"("compiled_for": ["m"])", "\"m\"", "k, n, experts, rows, strides"},
      {R"("workspace_alignment": 48)", "'workspace_alignment'", "power of two"},
      {R"("workspace_bytes": "4 * columns")", "'columns'", "rows, experts, k, n"},
      {R"("workspace_bytes": "1 + ceil(rows) ")", "')'", "','"},
      {R"("workspace_bytes": "rows rows")", "'rows'", "an operator or the end"},
      {R"("workspace_bytes": "4 *")", "the end", "a number"},
      {R"("workspace_bytes": true)", "'workspace_bytes'", "integer from 0"},
  };
  for (const Refusal& refusal : refusals) {
    EXPECT_THAT(message(with_required(refusal.field)),
                AllOf(HasSubstr(refusal.quoted), HasSubstr(refusal.allowed)))
        << refusal.field;
  }
}

TEST(Manifest, RefusesContradictions) {
  EXPECT_THAT(message(with_required(R"("batch_invariant": true)")),
              HasSubstr("needs deterministic true"));
  EXPECT_THAT(message(with_required(R"("graph_capturable": true, "device": "cuda")")),
              HasSubstr("needs stream_ordered"));
  EXPECT_THAT(message(with_required(R"("stream_ordered": true)")),
              HasSubstr("needs device \"cuda\""));
  EXPECT_THAT(message(with_required(R"("invalid_offsets": "flagged")")),
              HasSubstr("needs device \"cuda\""));
  EXPECT_THAT(message(with_required(
                  R"("accumulate": true, "wgrad_formats": [{"in": "bf16", "out": "bf16"}])")),
              HasSubstr("needs pass wgrad with fp32 output"));
  EXPECT_THAT(message(with_required(R"("bias_added": "last")")), HasSubstr("needs bias"));
  EXPECT_THAT(message(with_required(R"("bias": ["e4m3"])")),
              AllOf(HasSubstr("'bias'"), HasSubstr("bf16, fp16, fp32")));
  EXPECT_THAT(
      message(with_required(R"("arithmetic": {"kind": "fma", "order": "ascending", "splits": 2})")),
      HasSubstr("one chain"));
}

TEST(Manifest, NamesAMissingField) {
  EXPECT_THAT(message("{}"), HasSubstr("field 'name': is missing"));
  EXPECT_THAT(message(R"({"passes": ["fwd"]})"), HasSubstr("field 'name': is missing"));
  EXPECT_THAT(message(R"({"name": 7})"), HasSubstr("7 is not a string"));
  EXPECT_THAT(message(R"({"name": "k", "passes": ["bwd"]})"),
              AllOf(HasSubstr("\"bwd\""), HasSubstr("fwd, dgrad, wgrad")));
}

TEST(Manifest, RefusesBottomlessNesting) {
  EXPECT_THAT(message(std::string(100000, '[')), HasSubstr("nested deeper"));
}

TEST(Manifest, NamesAreShortAndPrintable) {
  const auto named = [](const std::string& name) {
    return message("{\"name\": \"" + name + "\"}");
  };
  for (const std::string& name : {std::string("k"), std::string(128, 'n'), std::string("größer")}) {
    EXPECT_EQ(named(name), "accepted");
  }
  for (const std::string& name :
       {std::string(), std::string(129, 'n'), std::string("a\\u001b[31m"), std::string("a\\n"),
        std::string("a\u202e"), std::string("\u200b")}) {
    EXPECT_THAT(named(name), HasSubstr("is not from 1 to 128 bytes of printable text")) << name;
  }
}

TEST(Manifest, MessagesAreOneLine) {
  for (const std::string& json :
       {with_required("\"a\\nb\": 1"), with_required("\"tail_rows\": \"a\\nb\""),
        std::string("{\"a\n"), std::string("\xff\xfe{")}) {
    EXPECT_EQ(message(json).find('\n'), std::string::npos) << message(json);
  }
}

TEST(Registry, EveryKernelHasAManifestThatIsAccepted) {
  for (const BuiltinKernel& kernel : builtin_kernels()) {
    const Result<Manifest> manifest = parse_manifest(kernel.manifest());
    ASSERT_TRUE(manifest) << manifest.error().message;
    EXPECT_EQ(manifest->name, kernel.name);
  }
}

TEST(Manifest, ReadsWhatDiffersByPassAndFormat) {
  const Manifest manifest = manifest_with(R"("k_multiple": {"fwd": 8, "dgrad": 12}, "n_multiple": 4,
    "strides": "dense", "compiled_for": ["k", "strides"], "tiles": {"default": [64, 32, 16]},
    "subnormals": {"inputs": ["bf16"], "outputs": true},
    "workspace_bytes": "16 + 4 * ceil(rows, tile_m) * max(experts, 2) - k % 5",
    "workspace_alignment": 64)");
  EXPECT_EQ(manifest.k_multiple, 24);
  EXPECT_EQ(manifest.multiple(Axis::kK, Pass::kDgrad), 12);
  EXPECT_EQ(manifest.multiple(Axis::kK, Pass::kWgrad), 1);
  EXPECT_EQ(manifest.multiple(Axis::kN, Pass::kDgrad), 4);
  EXPECT_TRUE(manifest.dense_strides);
  EXPECT_TRUE(manifest.compiled_for.k && manifest.compiled_for.strides && !manifest.compiled_for.n);
  EXPECT_TRUE(manifest.subnormals.input_flushed(Format::kBf16));
  EXPECT_FALSE(manifest.subnormals.input_flushed(Format::kFp16));
  EXPECT_TRUE(manifest.subnormals.output_flushed(Format::kFp16));
  EXPECT_EQ(manifest.workspace_alignment, 64);
  CaseSpec spec = aligned_case();  // 384 rows, 3 experts, k 64
  EXPECT_EQ(manifest.workspace_of(spec), 16u + 4 * 6 * 3 - 4);
}

TEST(Formula, StaysWithinItsRange) {
  const auto value = [](const char* text) {
    return Formula::parse(text).value().value({.rows = 10, .experts = 3, .k = 7});
  };
  EXPECT_EQ(value("rows - experts * k"), 0);
  EXPECT_EQ(value("rows / (experts - 3)"), 0);
  EXPECT_EQ(value("align(rows, 8) + min(k, 2) * (1 + rows)"), 38);
  EXPECT_EQ(value("4611686018427387904 * 4611686018427387904"), Index{1} << 62);
}

TEST(Manifest, CombinationsOfOperandsAreOfOnePass) {
  const auto manifest = parse_manifest(R"({"name": "mixed", "passes": ["fwd", "dgrad"],
    "weights": ["enk"], "offsets": ["ends"], "formats": [
      {"in": "x:bf16,w:e4m3/row", "out": "bf16"}, {"in": "y:bf16,w:e4m3/row", "out": "bf16"},
      {"in": "bf16", "out": "bf16"}]})");
  ASSERT_TRUE(manifest.has_value()) << manifest.error().message;
  EXPECT_EQ(manifest->formats_of(Pass::kFwd).size(), 2u);
  EXPECT_EQ(manifest->formats_of(Pass::kDgrad).size(), 2u);
  EXPECT_EQ(manifest->formats_of(Pass::kDgrad, true).front().pass, Pass::kDgrad);
  for (const char* const line :
       {"pass=fwd in=x:bf16,w:e4m3/row k=4 n=4 rows=1",
        "pass=dgrad in=y:bf16,w:e4m3/row k=4 n=4 rows=1", "pass=fwd k=4 n=4 rows=1"}) {
    const CaseSpec spec = *parse_case(line);
    EXPECT_FALSE(exclusion(*manifest, spec)) << line;
    EXPECT_TRUE(manifest->lists(spec.pass, spec.in, spec.out)) << line;
  }
  const CaseSpec swapped = *parse_case("pass=fwd in=x:e4m3/row,w:bf16 k=4 n=4 rows=1");
  EXPECT_EQ(exclusion(*manifest, swapped),
            "in=x:e4m3/row,w:bf16 out=bf16 is not among the manifest's formats of fwd");
}

}  // namespace
}  // namespace assay
