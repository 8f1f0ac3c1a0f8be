#include "src/import/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/problem/case_list.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Rows = std::vector<Index>;

const ImportOptions kShape{.k = 8, .n = 16};

Imported imported(std::string_view text, const ImportOptions& options = kShape,
                  const std::string& file = "f") {
  auto result = import_cases(text, file, options);
  EXPECT_TRUE(result) << text << "\n" << (result ? "" : result.error().message);
  return result ? std::move(*result) : Imported{};
}

std::vector<Rows> rows_of(std::string_view text, const ImportOptions& options = kShape) {
  std::vector<Rows> rows;
  for (const ImportedCase& one : imported(text, options).cases) { rows.push_back(one.spec.rows); }
  return rows;
}

std::string refusal(std::string_view text, const ImportOptions& options = kShape,
                    const std::string& file = "f") {
  const auto result = import_cases(text, file, options);
  EXPECT_FALSE(result) << text;
  if (result) { return ""; }
  EXPECT_EQ(result.error().message.find('\n'), std::string::npos) << result.error().message;
  return result.error().message;
}

// An array of int32 as numpy writes it.
std::string npy(const std::string& shape, const std::vector<std::int32_t>& values,
                const std::string& type = "<i4", bool fortran = false) {
  std::string dict = "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                     ", 'shape': " + shape + ", }";
  dict.append(63 - (10 + dict.size()) % 64, ' ');
  dict += '\n';
  std::string text =
      std::string("\x93NUMPY\x01", 7) + '\0' + static_cast<char>(dict.size()) + '\0' + dict;
  for (const std::int32_t value : values) {
    for (int shift = 0; shift < 32; shift += 8) {
      text += static_cast<char>(static_cast<std::uint32_t>(value) >> shift & 255);
    }
  }
  return text;
}

TEST(Import, IdsOfTokensAreCountedByExpert) {
  const ImportOptions four{.k = 8, .n = 16, .experts = 4};
  const std::vector<Rows> expected = {{2, 1, 0, 2}};
  EXPECT_EQ(rows_of("[[0, 1], [3, 0], [3, -1]]", four), expected);
  EXPECT_EQ(rows_of("0,1\n3,0\n3,-1\n", four), expected);
  EXPECT_EQ(rows_of("0 1\n3 0\n3 -1\n", four), expected);
  EXPECT_EQ(rows_of("token,topk_0,topk_1\n0,0,1\n1,3,0\n2,3,-1\n", four), expected);
  EXPECT_EQ(
      rows_of("{\"topk_ids\": [[0, 1], [3, 0], [3, 4]], \"topk_weights\": [[0.5, 0.25]]}", four),
      expected);
  EXPECT_EQ(rows_of(npy("(3, 2)", {0, 1, 3, 0, 3, -1}), four), expected);
  EXPECT_EQ(rows_of(npy("(3, 2)", {0, 3, 3, 1, 0, -1}, "<i4", true), four), expected);
}

TEST(Import, EachLayerOfIdsIsARouting) {
  const std::vector<Rows> expected = {{1, 1}, {0, 1}};
  EXPECT_EQ(rows_of(npy("(2, 2, 1)", {0, 1, -1, 1})), expected);
  EXPECT_EQ(rows_of("[[[0], [1]], [[-1], [1]]]"), expected);
  EXPECT_EQ(rows_of("{\"layer_0\": {\"expert_ids\": [[0], [1]]}, "
                    "\"layer_1\": {\"expert_ids\": [[-1], [1]]}}"),
            expected);
}

TEST(Import, IdsOfNoExpertAreCountedAndOthersNamed) {
  const ImportOptions four{.k = 8, .n = 16, .experts = 4};
  const Imported read = imported("[[0, -1], [4, 2], [-1, 1]]", four);
  EXPECT_EQ(read.form, "ids");
  EXPECT_THAT(read.notes,
              AllOf(Contains("2 ids of -1 sent nowhere"), Contains("1 id of 4 sent nowhere"),
                    Contains("3 tokens, 4 experts")));
  EXPECT_THAT(refusal("[[0, -1], [4, 5]]", four),
              HasSubstr("f: [1][1]: '5' is no id of 4 experts; allowed are 0 to 3, and -1 or 4"));
  EXPECT_THAT(refusal("0,-1\n1,-2\n", four), HasSubstr("f: line 2[1]: '-2' is no id"));
  EXPECT_THAT(imported("[[0, 2], [-1, 1]]").notes,
              Contains("2 tokens, 3 experts, as the largest id says"));
}

TEST(Import, LoadsComeInManyForms) {
  const std::vector<Rows> one = {{3, 0, 5}}, two = {{3, 0, 5}, {1, 7, 0}};
  for (const char* text :
       {"[3, 0, 5]", "3,0,5\n", "3;0;5", "{\"0\": 3, \"1\": 0, \"2\": 5}", "[3.0, 0, 5]",
        "{\"expert_0\": 3, \"expert_2\": 5}", "{\"tokens_per_expert\": [3, 0, 5], \"ms\": 0.25}",
        "expert,count\n2,5\n0,3\n", "expert_id,num_tokens\n0,3\n1,0\n2,5\n",
        "[{\"expert\": 2, \"tokens\": 5}, {\"expert\": 0, \"tokens\": 3}]"}) {
    EXPECT_EQ(rows_of(text), one) << text;
  }
  for (const char* text : {"[[3, 0, 5], [1, 7, 0]]", "3,0,5\n1,7,0\n", "[[[3, 0, 5]], [[1, 7, 0]]]",
                           "{\"layer_0\": [3, 0, 5], \"layer_1\": [1, 7, 0]}",
                           "{\"a\": {\"0\": 3, \"2\": 5}, \"b\": {\"0\": 1, \"1\": 7, \"2\": 0}}",
                           "{\"m_splits\": [3, 0, 5]}\n{\"m_splits\": [1, 7, 0]}\n",
                           "step,layer,e0,e1,e2\n0,0,3,0,5\n0,1,1,7,0\n",
                           "iter,expert_0,expert_1,expert_2\n0,3,0,5\n1,1,7,0",
                           "layer,expert,count\n0,0,3\n0,2,5\n1,0,1\n1,1,7\n1,2,0\n"}) {
    EXPECT_EQ(rows_of(text), two) << text;
  }
  EXPECT_EQ(rows_of(npy("(3,)", {3, 0, 5})), one);
  EXPECT_EQ(rows_of(npy("(2, 3)", {3, 0, 5, 1, 7, 0})), two);
}

TEST(Import, InputsKeepTheirScales) {
  ImportOptions options = kShape;
  for (const char* const inputs : {"e4m3/nv", "e4m3/block128", "x:bf16,w:e4m3/nv"}) {
    options.in = parse_inputs(inputs)->inputs;
    const auto imported = import_cases("[3, 0, 5]", "file", options);
    ASSERT_TRUE(imported.has_value()) << inputs;
    EXPECT_EQ(imported->cases.front().spec.in, *options.in) << inputs;
    EXPECT_EQ(imported->cases.front().spec.out, Format::kBf16) << inputs;
  }
}

TEST(Import, AMapOfTokensToExpertsIsSummed) {
  std::string map = npy("(2, 3)", {}, "|b1");
  map += std::string("\1\0\1\0\0\1", 6);
  EXPECT_EQ(rows_of(map), (std::vector<Rows>{{1, 0, 2}}));
}

TEST(Import, AWordOfTheUserGoesBeforeTheContent) {
  ImportOptions as = kShape;
  as.as = "loads";
  EXPECT_EQ(rows_of("[[0, 1], [2, 0]]", as), (std::vector<Rows>{{0, 1}, {2, 0}}));
  as.as = "ids";
  EXPECT_EQ(rows_of("[[0, 1], [2, 0]]", as), (std::vector<Rows>{{2, 1, 1}}));
}

TEST(Import, SplitsAreFoundInProgramsAndLogs) {
  const std::string text =
      "step 3 m_splits=[128, 0, 64] k=4096 n: 2048\n"
      "names = ['a', 'b']\n"
      "m_splits: tensor([ 3  0\n 5], device='cuda:0')\n";
  const Imported read = imported(text);
  EXPECT_EQ(read.form, "m_splits");
  ASSERT_EQ(read.cases.size(), 2U);
  EXPECT_THAT(read.cases[0].spec.rows, ElementsAre(128, 0, 64));
  EXPECT_EQ(read.cases[0].spec.k, 4096);
  EXPECT_EQ(read.cases[0].spec.n, 2048);
  EXPECT_THAT(read.cases[1].spec.rows, ElementsAre(3, 0, 5));
  EXPECT_EQ(read.cases[1].where, "line 3");
}

TEST(Import, BenchdnnsOptionsHoldForTheShapesAfterThem) {
  const Imported read = imported(
      "# a comment\n--reset\n--dt=bf16:bf16:f32,u8:s4:bf16 --wtag=abc\n--grouped=0:3:8+0+24\n"
      "32x64:3x64x16nname\n./benchdnn --matmul --reset --dt=f16 --grouped=1:2:5+3 7x8:8x9\n",
      {});
  EXPECT_EQ(read.form, "benchdnn");
  ASSERT_EQ(read.cases.size(), 2U);
  EXPECT_EQ(read.cases[0].spec,
            *parse_case("pass=fwd in=bf16 out=fp32 k=64 n=16 rows=8,0,24 weights=ekn"));
  EXPECT_EQ(read.cases[1].spec, *parse_case("pass=wgrad in=fp16 out=fp16 k=7 n=9 rows=5,3"));
  EXPECT_THAT(read.notes, Contains(HasSubstr("data types that Assay has not")));
  EXPECT_EQ(imported("--dt=s8:s8:bf16 --grouped=0:2:5+3 8x7:2x7x9\n", {}).cases.front().spec,
            *parse_case("pass=fwd in=int8 out=bf16 k=7 n=9 rows=5,3"));
  EXPECT_EQ(rows_of("--grouped=0:4:balanced,0:4:hot,0:4:decode 3x8:4x8x8\n", {}),
            (std::vector<Rows>{{1, 1, 1, 0}, {2, 1, 0, 0}}));
  EXPECT_THAT(refusal("--grouped=0:3:8+0+25\n32x64:3x64x16\n", {}),
              AllOf(HasSubstr("f:2: --grouped=0:3:8+0+25"), HasSubstr("add up to 32")));
  EXPECT_THAT(refusal("--grouped=0:3:8+0+24\n32x64:4x64x16\n", {}), HasSubstr("differ"));
}

TEST(Import, DeepgemmsTuplesAndCrossedPairs) {
  EXPECT_EQ(imported("shapes = [(4, 8192, 4096, 7168)]", {}).cases.front().spec,
            *parse_case("pass=fwd k=7168 n=4096 rows=8192*4"));
  ImportOptions eight;
  eight.experts = 8;
  EXPECT_EQ(imported("(128, 24, 512), (64, 24, 512)", eight).cases.back().spec,
            *parse_case("pass=fwd k=512 n=24 rows=64*8"));
  EXPECT_THAT(refusal("(128, 24, 512)", {}), HasSubstr("give --experts N"));
  const Imported crossed = imported(
      "def enumerate_m_grouped(dtype):\n    m_group_list = [(4, 8192), [8, 4096]]\n"
      "    n_k_list = [(6144, 7168), (7168, 3072)]\n\ndef enumerate_k_grouped():\n"
      "    for num_groups, m, n, k in ((2, 32, 48, 64),): pass  # (9, 9, 9, 9)\n",
      {});
  ASSERT_EQ(crossed.cases.size(), 5U);
  EXPECT_EQ(crossed.cases[3].spec, *parse_case("pass=fwd k=3072 n=7168 rows=4096*8"));
  EXPECT_EQ(crossed.cases[4].spec, *parse_case("pass=wgrad k=32 n=48 rows=64*2"));
}

TEST(Import, ATunedFileGivesBothProductsOfEachBatchSize) {
  const std::string text =
      R"({"triton_version": "3.2", "1": {"BLOCK_SIZE_M": 16}, "24": {"BLOCK_SIZE_M": 64}})";
  const std::string file = "configs/E=8,N=96,device_name=NVIDIA_H100,dtype=fp8_w8a8.json";
  const Imported read = imported(text, {.k = 64, .top_k = 2}, file);
  ASSERT_EQ(read.cases.size(), 4U);
  EXPECT_EQ(read.cases[0].spec, *parse_case("pass=fwd in=e4m3 out=bf16 k=64 n=192 rows=1,1,0*6"));
  EXPECT_EQ(read.cases[3].spec, *parse_case("pass=fwd in=e4m3 out=bf16 k=96 n=64 rows=6*8"));
  EXPECT_THAT(read.cases[0].where, HasSubstr("1 tokens, BLOCK_SIZE_M=16"));
  const Imported integers =
      imported(text, {.k = 64, .top_k = 2}, "configs/E=8,N=96,dtype=int8_w8a8.json");
  EXPECT_EQ(integers.cases[3].spec, *parse_case("pass=fwd in=int8 out=bf16 k=96 n=64 rows=6*8"));
  EXPECT_THAT(refusal(text, {}, file), HasSubstr("give --k N"));
  EXPECT_THAT(refusal(text, kShape, "own.json"), HasSubstr("give --experts N"));
  ImportOptions given = kShape;
  given.experts = 3;
  EXPECT_EQ(imported(text, given, "own.json").cases.front().spec.rows, (Rows{1, 0, 0}));
}

TEST(Import, TheLinesAreACaseList) {
  const Imported read = imported("[[3, 0, 5], [1, 7, 0], [3, 0, 5]]",
                                 {.k = 8, .n = 16, .passes = {Pass::kFwd, Pass::kWgrad}});
  EXPECT_THAT(read.notes, Contains("2 cases left out that came before"));
  const auto cases = parse_case_list(case_lines(read), "lines");
  ASSERT_TRUE(cases) << cases.error().message;
  ASSERT_EQ(cases->size(), 4U);
  for (std::size_t i = 0; i < cases->size(); ++i) { EXPECT_EQ((*cases)[i], read.cases[i].spec); }
  EXPECT_EQ((*cases)[1].pass, Pass::kWgrad);
}

TEST(Import, RefusesWithThePlaceAndWhatIsMissing) {
  EXPECT_THAT(refusal("[3, 0, 5]", {}), HasSubstr("f does not say k: give --k N"));
  EXPECT_THAT(refusal("[3, 0, 5]", {.k = 8}), HasSubstr("f does not say n: give --n N"));
  EXPECT_THAT(refusal(""), HasSubstr("f: empty"));
  EXPECT_THAT(refusal("hello"), AllOf(HasSubstr("'hello'"), HasSubstr("known are benchdnn")));
  EXPECT_THAT(refusal("[3, 0"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("[3, 0.5]"), HasSubstr("f: [1]: 0.5 is not a whole number"));
  EXPECT_THAT(refusal("3,1\n2,x\n"), HasSubstr("f:2: 'x' is not a whole number"));
  ImportOptions as = kShape;
  as.as = "loads";
  EXPECT_THAT(refusal("[3, 0.5]", as), HasSubstr("f: [1]: 0.5 is not a whole number"));
  EXPECT_THAT(refusal("[[3, 1], [2, -5]]", as), HasSubstr("[1]: '-5' of expert 1 is not a count"));
  EXPECT_THAT(refusal("3,1\n2,x\n", as), HasSubstr("f:2: 'x' is not a whole number"));
  EXPECT_THAT(refusal("expert,count\n0,1\n0,2\n"), HasSubstr("f:3: expert 0 is given twice"));
  as.as = "lods";
  EXPECT_THAT(refusal("[3]", as), AllOf(HasSubstr("'lods'"), HasSubstr("loads")));
  ImportOptions four = kShape;
  four.experts = 4;
  EXPECT_THAT(refusal("[3, 0, 5]", four), HasSubstr("3 experts, --experts says 4"));
  EXPECT_THAT(refusal(std::string(1000, '[')), HasSubstr("nested deeper than 64 levels"));
}

TEST(Import, DamagedNpyFilesAreRefused) {
  const std::string good = npy("(2, 2)", {0, 1, 1, 2});
  for (std::size_t size = 6; size < good.size(); ++size) {
    EXPECT_FALSE(import_cases(good.substr(0, size), "f", kShape)) << size;
  }
  EXPECT_THAT(refusal(npy("(2, 2)", {0, 1, 1, 2}, "<f4")), HasSubstr("'<f4'"));
  ImportOptions ids = kShape;
  ids.as = "ids";
  EXPECT_THAT(refusal(npy("(2, 2)", {0, 1, 1, 2}, "<f4"), ids), HasSubstr("allowed are integers"));
  EXPECT_THAT(refusal(npy("(99999999, 99999999)", {}), ids),
              HasSubstr("more than 16777216 numbers"));
}

}  // namespace
}  // namespace assay
