#include "fuzz/mutate_case.h"

#include <map>
#include <ostream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "src/problem/case_text.h"
#include "src/problem/offsets.h"

namespace assay {
namespace {

MutationSpace small_space() {
  MutationSpace space = whole_space();
  space.told_differs = false;
  return space;
}

CaseSpec busy_case() {
  const auto spec = parse_case(
      "pass=wgrad in=bf16 out=fp32 acc=1 k=24 n=20 rows=0,7,12,0*3,1,9 offsets=starts:i64 pad=4 "
      "tail=3 weights=ekn ld=x:1,w:2,y:3 wpitch=5 base=x:2,w:4,y:8 fill=normal seed=3");
  EXPECT_TRUE(spec.has_value()) << (spec ? "" : spec.error().message);
  return *spec;
}

void expect_parses_back(const CaseSpec& spec, const MutationSpace& space) {
  const std::string text = short_text(spec);
  const auto parsed = parse_case(text);
  ASSERT_TRUE(parsed.has_value()) << text << ": " << parsed.error().message;
  EXPECT_EQ(*parsed, spec) << text;
  EXPECT_TRUE(is_within(spec, space)) << text;
}

TEST(MutateCase, EveryMutationAloneGivesACaseThatParsesBack) {
  const MutationSpace space = whole_space();
  for (const Mutation& mutation : all_mutations()) {
    Rng rng(7);
    CaseSpec spec = busy_case();
    for (int i = 0; i < 200; ++i) {
      mutation.apply(spec, space, rng);
      settle_case(spec, space, rng);
      SCOPED_TRACE(mutation.name);
      expect_parses_back(spec, space);
    }
  }
}

Combination scaled() { return {parse_inputs("e4m3/block128")->inputs, Format::kFp32}; }

TEST(MutateCase, EveryMutationChangesSomething) {
  MutationSpace space = whole_space();
  space.formats.push_back(scaled());
  space.wgrad_formats.push_back(scaled());
  for (const Mutation& mutation : all_mutations()) {
    int changed = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Rng rng(seed);
      CaseSpec spec = busy_case();
      if (mutation.name.starts_with("change_scale_")) { use(scaled(), spec); }
      if (mutation.name == "change_cap") { spec.offsets = spec.told = {Convention::kMasked}; }
      settle_case(spec, space, rng);
      const CaseSpec before = spec;
      mutation.apply(spec, space, rng);
      settle_case(spec, space, rng);
      changed += spec == before ? 0 : 1;
    }
    EXPECT_GE(changed, 10) << mutation.name;
  }
}

TEST(MutateCase, LongWalksStayWithinTheSpace) {
  for (const MutationSpace& space : {whole_space(), small_space()}) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      Rng rng(seed);
      CaseSpec spec = simplest_case(space);
      for (int step = 0; step < 500; ++step) {
        spec = mutate_case(spec, space, rng);
        expect_parses_back(spec, space);
      }
    }
  }
}

TEST(MutateCase, WalksReachEveryWord) {
  const MutationSpace space = small_space();
  std::set<Convention> conventions;
  std::map<std::string, int> seen;
  Rng rng(1);
  CaseSpec spec = simplest_case(space);
  for (int step = 0; step < 3000; ++step) {
    spec = mutate_case(spec, space, rng);
    conventions.insert(spec.offsets.convention);
    seen["pass " + std::string(name(spec.pass))] = 1;
    seen["fill " + std::string(name(spec.fill))] = 1;
    if (spec.rows.front() == 0) { seen["empty first"] = 1; }
    if (spec.rows.back() == 0) { seen["empty last"] = 1; }
    if (spec.experts() > 31) { seen["many experts"] = 1; }
    if (spec.pad > 1) { seen["pad"] = 1; }
    if (spec.tail > 0) { seen["tail"] = 1; }
    if (spec.cap > 0) { seen["cap"] = 1; }
    if (spec.acc > 1) { seen["acc"] = 1; }
    if (spec.ld.w > 0) { seen["ld"] = 1; }
    if (spec.wpitch > 0) { seen["wpitch"] = 1; }
    if (spec.base.y > 0) { seen["base"] = 1; }
    if (spec.pointers == Pointers::kScattered) { seen["scattered"] = 1; }
    if (spec.pointers == Pointers::kShared) { seen["shared"] = 1; }
  }
  EXPECT_EQ(conventions.size(), std::size(kAllConventions));
  EXPECT_EQ(seen.size(), 3 + std::size(kAllFills) + 12);
}

TEST(MutateCase, TheSameSeedGivesTheSameCase) {
  const MutationSpace space = whole_space();
  Rng first(5), second(5), third(6);
  const CaseSpec a = mutate_case(busy_case(), space, first);
  EXPECT_EQ(a, mutate_case(busy_case(), space, second));
  EXPECT_NE(a, mutate_case(busy_case(), space, third));
}

TEST(MutateCase, CrossesKeepRowsOfBoth) {
  const MutationSpace space = small_space();
  const auto first = parse_case("pass=fwd k=4 n=4 rows=1*6");
  const auto second = parse_case("pass=dgrad k=5 n=5 rows=2*6 offsets=masked");
  ASSERT_TRUE(first.has_value() && second.has_value());
  int mixed = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    const CaseSpec crossed = cross_cases(*first, *second, space, rng);
    expect_parses_back(crossed, space);
    const std::set<Index> counts(crossed.rows.begin(), crossed.rows.end());
    mixed += counts == std::set<Index>{1, 2} ? 1 : 0;
  }
  EXPECT_GE(mixed, 25);
}

TEST(SettleCase, KeepsWhatMakesSense) {
  const MutationSpace space = whole_space();
  const CaseSpec before = busy_case();
  CaseSpec after = before;
  Rng rng(1);
  settle_case(after, space, rng);
  EXPECT_EQ(after, before);
}

TEST(SettleCase, CutsHugeCases) {
  const MutationSpace space = whole_space();
  for (const char* text :
       {"pass=fwd k=2147483648 n=1 rows=0 tail=9", "pass=wgrad k=4096 n=4096 rows=0*900",
        "pass=dgrad k=1 n=1 rows=68719476736 offsets=starts:i64",
        "pass=fwd k=1 n=1 rows=1*99999 offsets=row_ids pad=4096"}) {
    auto spec = parse_case(text);
    ASSERT_TRUE(spec.has_value()) << text << spec.error().message;
    Rng rng(1);
    settle_case(*spec, space, rng);
    expect_parses_back(*spec, space);
  }
}

TEST(SpaceOf, TakesTacticsFormatsAndBordersFromTheManifest) {
  Manifest manifest;
  manifest.passes = {Pass::kWgrad};
  manifest.formats = {{Format::kBf16, Format::kBf16}};
  manifest.wgrad_formats = {{Format::kBf16, Format::kFp32}};
  manifest.weights = {WeightsLayout::kEkn};
  manifest.offsets = {{Convention::kCounts}};
  manifest.tactics = {"rows48"};
  manifest.tiles = {{"rows48", 48, 56, 64}};
  const MutationSpace space = space_of(manifest);
  EXPECT_EQ(space.wgrad_formats.size(), 1u);
  EXPECT_EQ(space.tactics, (std::vector<std::string>{"default", "rows48"}));
  EXPECT_EQ(space.borders, (std::vector<Index>{48, 56, 64, 8, 16}));
  Rng rng(3);
  CaseSpec spec = simplest_case(space);
  for (int i = 0; i < 300; ++i) {
    spec = mutate_case(spec, space, rng);
    EXPECT_EQ(exclusion(manifest, spec).value_or("").find("is not among"), std::string::npos);
  }
}

}  // namespace
}  // namespace assay
