#include "src/problem/case_text.h"

#include <algorithm>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "src/problem/row_layout.h"
#include "tests/problem/parsed.h"
#include "tests/problem/random_case.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kExample[] =
    "pass=fwd in=bf16 out=bf16 k=96 n=64 rows=0,7,128,1 offsets=ends tail=3 weights=enk "
    "fill=anchored seed=17";

std::string case_refusal(std::string_view text) {
  const Result<CaseSpec> spec = parse_case(text);
  EXPECT_FALSE(spec.has_value()) << text;
  return spec ? "" : spec.error().message;
}

TEST(CaseText, ReadsTheExample) {
  const CaseSpec spec = parsed(kExample);
  EXPECT_EQ(spec.pass, Pass::kFwd);
  EXPECT_EQ(spec.k, 96);
  EXPECT_EQ(spec.n, 64);
  EXPECT_THAT(spec.rows, ElementsAre(0, 7, 128, 1));
  EXPECT_EQ(spec.tail, 3);
  EXPECT_EQ(spec.fill, Fill::kAnchored);
  EXPECT_EQ(spec.seed, 17u);
  EXPECT_EQ(spec.told, spec.offsets);
  EXPECT_EQ(total_rows(spec), 136);
  EXPECT_EQ(multiply_adds(spec), 136 * 96 * 64);
}

TEST(CaseText, CanonicalTextHasEveryKey) {
  EXPECT_EQ(canonical_text(parsed(kExample)),
            "pass=fwd in=bf16 out=bf16 acc=0 k=96 n=64 rows=0,7,128,1 offsets=ends told=ends pad=1 "
            "cap=0 tail=3 weights=enk ld=0 wpitch=0 base=0 fill=anchored seed=17 tactic=default "
            "exec=plain");
}

// Records from before the key read, and print, as they did.
TEST(CaseText, PointersArePrintedWhereTheyLeadElsewhere) {
  const char* const words = "pass=fwd k=4 n=4 rows=3,2 offsets=problems";
  EXPECT_THAT(canonical_text(parsed(words)), testing::Not(HasSubstr("pointers")));
  EXPECT_THAT(canonical_text(parsed(std::string(words) + " pointers=shared")),
              HasSubstr(" pointers=shared fill=integers"));
}

TEST(CaseText, ABiasNeedsFwdAPlainOutputAndAWideFormat) {
  EXPECT_THAT(case_refusal("pass=dgrad k=4 n=4 rows=3 bias=fp32"),
              HasSubstr("'bias=fp32': a bias needs pass=fwd and an output without a scale"));
  EXPECT_THAT(case_refusal("pass=fwd in=bf16 out=e4m3/tensor k=4 n=4 rows=3 bias=bf16"),
              HasSubstr("'bias=bf16': a bias needs pass=fwd and an output without a scale"));
  EXPECT_THAT(case_refusal("pass=fwd k=4 n=4 rows=3 bias=e4m3"),
              HasSubstr("'bias=e4m3': not a bias format; allowed: none, bf16, fp16, fp32"));
}

TEST(CaseText, PointersNeedAConventionThatHasSome) {
  EXPECT_THAT(case_refusal("pass=fwd k=4 n=4 rows=3,2 pointers=scattered"),
              HasSubstr("'pointers=scattered': only offsets=problems has pointers"));
  EXPECT_THAT(case_refusal("pass=wgrad k=4 n=4 rows=3,2 offsets=problems pointers=shared"),
              HasSubstr("'pointers=shared': two experts cannot write one gradient"));
}

TEST(CaseText, ShortTextLeavesDefaultsOut) {
  EXPECT_EQ(short_text(parsed(kExample)),
            "pass=fwd k=96 n=64 rows=0,7,128,1 tail=3 fill=anchored seed=17");
  EXPECT_EQ(short_text(parsed("pass=wgrad in=fp16 out=fp32 k=1 n=2 rows=0*31,61,64,64 acc=2 "
                              "offsets=counts:i64:host told=ends ld=x:8,y:16 exec=streams:2")),
            "pass=wgrad in=fp16 out=fp32 acc=2 k=1 n=2 rows=0*31,61,64,64 offsets=counts:i64:host "
            "told=ends ld=x:8,w:0,y:16 exec=streams:2");
}

TEST(CaseText, OutDefaultsToIn) {
  EXPECT_EQ(parsed("pass=fwd k=1 n=1 rows=1 in=fp32").out, Format::kFp32);
}

TEST(CaseText, WordsComeInAnyOrderAndAnySpace) {
  EXPECT_EQ(parsed("\n seed=17\tfill=anchored tail=3 rows=0,7,128,1\r\n  n=64 k=96 pass=fwd\n"),
            parsed(kExample));
}

TEST(CaseText, RowsTakeGeneratorsAmongCounts) {
  const CaseSpec spec = parsed("pass=fwd k=1 n=1 rows=5,balanced(total=7,experts=3),0*2,9 seed=3");
  EXPECT_THAT(spec.rows, ElementsAre(5, 3, 2, 2, 0, 0, 9));
}

TEST(CaseText, GeneratorsDrawFromTheSeedWhereverItStands) {
  const CaseSpec before = parsed("seed=5 pass=fwd k=1 n=1 rows=zipf(1.1,total=99,experts=9)");
  const CaseSpec after = parsed("pass=fwd k=1 n=1 rows=zipf(1.1,total=99,experts=9) seed=5");
  EXPECT_EQ(before, after);
  const CaseSpec twice = parsed(
      "seed=5 pass=fwd k=1 n=1 rows=zipf(1.1,total=99,experts=9),zipf(1.1,total=99,experts=9)");
  EXPECT_NE(std::vector<Index>(twice.rows.begin(), twice.rows.begin() + 9),
            std::vector<Index>(twice.rows.begin() + 9, twice.rows.end()));
}

TEST(CaseText, RunLengthsReadBack) {
  EXPECT_EQ(rows_text({0, 0, 0, 1, 1, 2, 5, 5, 5, 5}), "0*3,1,1,2,5*4");
  EXPECT_THAT(parse_rows("0*3,1,1,2,5*4", 0).value(), ElementsAre(0, 0, 0, 1, 1, 2, 5, 5, 5, 5));
}

TEST(CaseText, StreamsAsShortText) {
  std::ostringstream stream;
  stream << parsed(kExample);
  EXPECT_EQ(stream.str(), short_text(parsed(kExample)));
}

RC_GTEST_PROP(CaseText, BothTextsReadBackToTheSameCase, ()) {
  const CaseSpec spec = *any_case();
  const Result<CaseSpec> canonical = parse_case(canonical_text(spec));
  RC_ASSERT(canonical.has_value());
  RC_ASSERT(*canonical == spec);
  const Result<CaseSpec> brief = parse_case(short_text(spec));
  RC_ASSERT(brief.has_value());
  RC_ASSERT(*brief == spec);
}

RC_GTEST_PROP(CaseText, AnyBytesGiveACaseOrOneLine, ()) {
  auto text = *rc::gen::arbitrary<std::string>();
  if (*rc::gen::arbitrary<bool>()) {  // near a case
    const std::string good = canonical_text(*any_case());
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, good.size());
    text = good.substr(0, at) + text + good.substr(std::min(good.size(), at + 1));
  }
  const Result<CaseSpec> spec = parse_case(text);
  if (spec) {
    RC_ASSERT(check_case(*spec).has_value());
  } else {
    for (const char c : spec.error().message) { RC_ASSERT(c >= 0x20 && c < 0x7f); }
  }
}

struct BadCase {
  const char* words;  // beside pass=fwd k=8 n=8 rows=1
  const char* quoted;
  const char* why;
};
void PrintTo(const BadCase& bad, std::ostream* stream) { *stream << bad.words; }

class BadWord : public testing::TestWithParam<BadCase> {};
INSTANTIATE_TEST_SUITE_P(
    All, BadWord,
    testing::Values(
        BadCase{"color=red", "'color=red'", "unknown key 'color'; allowed keys: pass in out"},
        BadCase{"tail", "'tail'", "not a key=value word"},
        BadCase{"k=9", "'k=9'", "the key k is repeated"},
        BadCase{"in=fp64", "'in=fp64'", "allowed: bf16, fp16, fp32, e4m3, e5m2"},
        BadCase{"in=bf16 out=fp16", "'out=fp16'", "the output is bf16, fp32, e4m3 or e5m2"},
        BadCase{"in=e4m3", "lacks out=", "with in=e4m3 it is bf16, fp16, fp32, e4m3 or e5m2"},
        BadCase{"acc=1 out=fp32", "'acc=1'", "needs pass=wgrad and out=fp32"},
        BadCase{"acc=17", "'acc=17'", "above 16"},
        BadCase{"tail=-1", "'tail=-1'", "no integer; allowed: 0 to"},
        BadCase{"tail=99999999999999999999", "'tail=99999999999999999999'", "no integer"},
        BadCase{"offsets=start", "'offsets=start'", "allowed: ends[:i64], starts[:i64]"},
        BadCase{"offsets=masked:i64", "'offsets=masked:i64'", "allowed: ends[:i64], starts[:i64]"},
        BadCase{"offsets=counts:host", "'offsets=counts:host'", "counts:i64[:host]"},
        BadCase{"pad=0", "'pad=0'", "below 1"},
        BadCase{"pad=8", "'pad=8'", "offsets=ends cannot express gaps"},
        BadCase{"pad=8 offsets=masked", "'pad=8'", "by cap= alone"},
        BadCase{"cap=8", "'cap=8'", "only offsets=masked has buffers"},
        BadCase{"tail=1 offsets=masked", "'tail=1'", "no rows after its buffers"},
        BadCase{"told=masked", "'told=masked'", "buffers of one capacity"},
        BadCase{"told=starts", "'told=starts'", "a second array of sizes"},
        BadCase{"told=ends offsets=problems", "'told=ends'", "no offsets to mistake"},
        BadCase{"weights=ken", "'weights=ken'", "allowed: enk, ekn"},
        BadCase{"ld=x:8,x:4", "'ld=x:8,x:4'", "operand x is repeated"},
        BadCase{"ld=z:8", "'ld=z:8'", "'z:8' is not x:NUMBER"},
        BadCase{"ld=x:", "'ld=x:'", "no integer"},
        BadCase{"ld=1099511627776 tail=99", "too large", "operand x of k=8 n=8"},
        BadCase{"base=256", "'base=256'", "above 255"},
        BadCase{"base=1", "'base=1'", "1 of operand x is not a multiple of the 2 bytes of bf16"},
        BadCase{"base=2 out=fp32", "'base=2'",
                "operand y is not a multiple of the 4 bytes of fp32"},
        BadCase{"fill=random", "'fill=random'", "allowed: integers, anchored"},
        BadCase{"seed=18446744073709551616", "'seed=18446744073709551616'", "below 2^64"},
        BadCase{"tactic=a/b", "'tactic=a/b'", "no tactic name"},
        BadCase{"tactic=", "'tactic='", "no tactic name"},
        BadCase{"exec=streams", "'exec=streams'", "a count is missing"},
        BadCase{"exec=plain:2", "'exec=plain:2'", "takes no count"},
        BadCase{"exec=threads:65", "'exec=threads:65'", "above 64"}));

TEST_P(BadWord, IsQuotedAndExplained) {
  const std::string message =
      case_refusal(std::string("pass=fwd k=8 n=8 rows=1 ") + GetParam().words);
  EXPECT_THAT(message, HasSubstr(GetParam().quoted));
  EXPECT_THAT(message, HasSubstr(GetParam().why));
}

TEST(CaseText, MissingWordsAreNamed) {
  EXPECT_THAT(case_refusal("k=1 n=1 rows=1"), HasSubstr("lacks pass=; allowed: fwd, dgrad, wgrad"));
  EXPECT_THAT(case_refusal("pass=fwd n=1 rows=1"), HasSubstr("lacks k="));
  EXPECT_THAT(case_refusal("pass=fwd in=int8 k=1 n=1 rows=1"),
              HasSubstr("lacks out=; with in=int8 it is bf16, fp16, fp32, e4m3 or e5m2"));
  EXPECT_THAT(case_refusal("pass=fwd in=x:bf16,w:e4m3/row k=1 n=1 rows=1 scale_pitch=4"),
              HasSubstr("'scale_pitch=4': neither x nor y is read with scales"));
  EXPECT_THAT(case_refusal("pass=fwd k=1 n=1 rows=1 scale_layout=32_4_4"),
              HasSubstr("'scale_layout=32_4_4': no operand has scales"));
  EXPECT_THAT(case_refusal("pass=fwd in=e4m3/tensor out=bf16 k=1 n=1 rows=1 scale_layout=32_4_4"),
              HasSubstr("'scale_layout=32_4_4': a single scale lies in no tile"));
  EXPECT_THAT(case_refusal("pass=fwd in=e4m3/mx out=bf16 k=1 n=1 rows=1 scale_layout=swizzled"),
              HasSubstr("'scale_layout=swizzled'"));
  EXPECT_THAT(
      case_refusal("pass=fwd in=e4m3/mx out=bf16 k=1 n=1 rows=1 scale_layout=32_4_4 scale_pitch=4"),
      HasSubstr("'scale_pitch=4': tiles of scale_layout=32_4_4 have no pitch"));
  EXPECT_THAT(
      case_refusal("pass=wgrad in=e4m3/mx out=fp32 k=1 n=1 rows=1 pad=16 offsets=starts "
                   "scale_starts=aligned"),
      HasSubstr("'scale_starts=aligned': wants every expert to begin at a multiple of the 32 "
                "rows of a block; allowed: pad=32 or cap=32"));
  EXPECT_THAT(case_refusal("pass=fwd k=1 rows=1"), HasSubstr("lacks n="));
  EXPECT_THAT(case_refusal("pass=fwd k=1 n=1"), HasSubstr("lacks rows="));
  EXPECT_THAT(case_refusal(""), HasSubstr("lacks pass="));
}

TEST(CaseText, BadRowsAreQuoted) {
  EXPECT_THAT(case_refusal("pass=fwd k=1 n=1 rows=1,x"), HasSubstr("'x' is not a count"));
  EXPECT_THAT(case_refusal("pass=fwd k=1 n=1 rows="), HasSubstr("'' is not a count"));
  EXPECT_THAT(case_refusal("pass=fwd k=1 n=1 rows=1*0"), HasSubstr("'1*0' is not a count"));
  EXPECT_THAT(case_refusal("pass=fwd k=1 n=1 rows=1*1000000,1"),
              HasSubstr("more than 1000000 experts"));
  EXPECT_THAT(case_refusal("pass=fwd k=1 n=1 rows=1*99999999999"), HasSubstr("'1*99999999999'"));
  EXPECT_THAT(case_refusal("pass=fwd k=1 n=1 rows=1099511627776,1"),
              HasSubstr("1099511627776 rows"));
  EXPECT_THAT(case_refusal("pass=fwd k=1 n=1 rows=(("), HasSubstr("'((' is not a generator call"));
}

TEST(CaseText, SizesThatEatTheMachineAreRefused) {
  EXPECT_THAT(case_refusal("pass=fwd k=2147483648 n=1 rows=1000"), HasSubstr("operand x"));
  EXPECT_THAT(case_refusal("pass=fwd k=65536 n=65536 rows=1*1000"), HasSubstr("operand w"));
  EXPECT_THAT(case_refusal("pass=fwd k=1 n=1 rows=2147483647,1"), HasSubstr("do not fit int32"));
  EXPECT_THAT(case_refusal("pass=fwd k=1 n=1 rows=1 offsets=row_ids pad=1048576 tail=2147483647"),
              HasSubstr("do not fit int32"));
  EXPECT_EQ(parsed("pass=fwd k=1 n=1 rows=2147483647,1 offsets=indptr:i64").rows[1], 1);
  EXPECT_EQ(parsed("pass=fwd k=1 n=1 rows=2147483647,1 offsets=counts").rows[1], 1);
}

TEST(CaseText, OffsetsKindsReadBack) {
  for (const OffsetsKind& kind : all_offsets_kinds()) {
    EXPECT_EQ(parse_offsets_kind(name(kind)).value(), kind) << name(kind);
  }
  EXPECT_EQ(parse_offsets_kind("ends:i32:device").value(), OffsetsKind{});
  for (const char* bad :
       {"", "end", "ends:i16", "ends:i32:i32", "indptr:device:i64", "starts:host"}) {
    const Result<OffsetsKind> kind = parse_offsets_kind(bad);
    ASSERT_FALSE(kind.has_value()) << bad;
    EXPECT_THAT(kind.error().message, HasSubstr("allowed: "));
  }
}

TEST(CheckCase, RefusesWhatNoTextCanSay) {
  CaseSpec spec = parsed(kExample);
  spec.exec.count = 2;
  EXPECT_FALSE(check_case(spec).has_value());
  spec = parsed(kExample);
  spec.tactic = "two words";
  EXPECT_FALSE(check_case(spec).has_value());
  spec = parsed(kExample);
  spec.rows[0] = -1;
  EXPECT_FALSE(check_case(spec).has_value());
  spec.rows.clear();
  EXPECT_FALSE(check_case(spec).has_value());
}

TEST(RowLayout, PadsEveryExpertAndAddsTheTail) {
  const RowLayout layout =
      lay_out_rows(parsed("pass=fwd k=1 n=1 rows=3,0,5 pad=4 tail=2 offsets=starts"));
  EXPECT_THAT(layout.starts, ElementsAre(0, 4, 4));
  EXPECT_THAT(layout.counts, ElementsAre(3, 0, 5));
  EXPECT_EQ(layout.physical_rows, 14);
}

TEST(RowLayout, ScatteredExpertsLieInNoOrderAndApart) {
  int with_gaps = 0, rows_move = 0, weights_move = 0;
  for (int seed = 0; seed < 50; ++seed) {
    const CaseSpec spec = parsed(
        "pass=fwd k=1 n=1 rows=3,0,5,2 pad=4 offsets=problems "
        "pointers=shared seed=" +
        std::to_string(seed));
    const RowLayout layout = lay_out_rows(spec);
    const std::vector<Index> places = weight_places(spec);
    rows_move += std::ranges::is_sorted(layout.starts) ? 0 : 1;
    weights_move += std::ranges::is_sorted(places) ? 0 : 1;
    EXPECT_NE(std::ranges::find(places, 0), places.end());
    EXPECT_LT(std::set<Index>(places.begin(), places.end()).size(), 4U);
    Index end = 0;
    for (const Index expert : experts_in_place(layout)) {
      EXPECT_EQ(layout.starts[expert] % 4, 0);
      EXPECT_GE(layout.starts[expert], end);
      end = align_up(layout.starts[expert] + layout.counts[expert], 4);
    }
    with_gaps += layout.physical_rows > 4 + 8 + 4 ? 1 : 0;
  }
  EXPECT_GE(with_gaps, 40);
  EXPECT_GE(rows_move, 40);
  EXPECT_GE(weights_move, 40);
}

TEST(RowLayout, MaskedExpertsHaveBuffersOfTheLargestCount) {
  const RowLayout layout = lay_out_rows(parsed("pass=fwd k=1 n=1 rows=3,0,5 offsets=masked"));
  EXPECT_THAT(layout.starts, ElementsAre(0, 5, 10));
  EXPECT_EQ(layout.physical_rows, 15);
  EXPECT_EQ(lay_out_rows(parsed("pass=fwd k=1 n=1 rows=0*2 offsets=masked")).physical_rows, 2);
  EXPECT_EQ(lay_out_rows(parsed("pass=fwd k=1 n=1 rows=3 cap=7 offsets=masked")).physical_rows, 7);
}

}  // namespace
}  // namespace assay
