// The cases that checks name for the profiles.
#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/campaign/profile.h"
#include "src/core/digest.h"
#include "src/core/file.h"
#include "tests/campaign/fake_kernel.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

constexpr std::array<const char*, 4> kProfiles = {"quick", "ci", "peers", "full"};

// What was drawn when profiles were files of lines, for one of them, in its
// order.
std::vector<ProfileLine> drawn_before(std::size_t profile) {
  std::ifstream file(ASSAY_SOURCE_DIR "/tests/campaign/drawn_cases.txt");
  std::vector<ProfileLine> lines;
  for (std::string text; std::getline(file, text);) {
    if (text.starts_with('#')) { continue; }
    std::istringstream words(text);
    ProfileLine line;
    std::array<Index, 4> counts{};
    words >> line.check >> line.generator >> line.seed;
    for (Index& count : counts) { words >> count; }
    EXPECT_FALSE(words.fail()) << text;
    line.count = counts[profile];
    if (line.count > 0) { lines.push_back(line); }
  }
  return lines;
}

TEST(Draws, WhatWasDrawnBeforeIsDrawnInTheSameOrder) {
  for (std::size_t i = 0; i < kProfiles.size(); ++i) {
    const auto profile = load_profile(kProfiles[i], every_name());
    ASSERT_TRUE(profile) << profile.error().message;
    const std::vector<ProfileLine> before = drawn_before(i);
    EXPECT_GT(before.size(), 100U);
    std::vector<ProfileLine> now;
    std::ranges::copy_if(profile->lines, std::back_inserter(now), [&](const ProfileLine& line) {
      return std::ranges::find(before, line) != before.end();
    });
    EXPECT_EQ(now, before) << kProfiles[i];
  }
}

TEST(Draws, ACheckHasAPlaceAdviceAndCasesOfItsOwn) {
  std::set<int> orders;
  for (const Check& check : all_checks()) {
    EXPECT_TRUE(orders.insert(check.order).second) << check.name;
    EXPECT_FALSE(check.advice.empty()) << check.name;
    EXPECT_EQ(check.draws.empty(), check.name == kOwnCasesCheck) << check.name;
    std::set<std::pair<std::string_view, std::uint64_t>> rows;
    for (const Draw& draw : check.draws) {
      EXPECT_NE(every_name().generator(draw.generator), nullptr) << check.name;
      EXPECT_TRUE(rows.emplace(draw.generator, draw.seed).second) << check.name;
      EXPECT_GT(draw.full, 0) << check.name;
    }
  }
  EXPECT_GT(orders.size(), 40U);
}

constexpr Draw kDraws[] = {{.generator = "small", .seed = 7, .ci = 3, .full = 9},
                           {.generator = "small", .seed = 8, .full = 2}};

Registry names() {
  static const Check kChecks[] = {[] {
                                    Check check = testing::fake_check("draws_some");
                                    check.draws = kDraws;
                                    return check;
                                  }(),
                                  testing::fake_check("draws_none")};
  static const Generator kGenerators[] = {testing::fake_generator("small")};
  return {kChecks, kGenerators};
}

TEST(Draws, ComeBesideTheLinesOfAFile) {
  const std::string head = "profile=p certifies=none\n";
  const std::string own = "check=draws_none generator=small count=1 seed=1\n";
  const auto profile = parse_profile(head + "draws=full\n" + own, "p", names());
  ASSERT_TRUE(profile) << profile.error().message;
  const std::vector<ProfileLine> expected = {
      {"draws_some", "small", 9, 7}, {"draws_some", "small", 2, 8}, {"draws_none", "small", 1, 1}};
  EXPECT_EQ(profile->lines, expected);
  const auto fewer = parse_profile(head + "draws=ci", "p", names());
  ASSERT_TRUE(fewer) << fewer.error().message;
  EXPECT_EQ(fewer->lines, (std::vector<ProfileLine>{{"draws_some", "small", 3, 7}}));
}

TEST(Draws, AreInTheDigestOfTheProfile) {
  const std::string text = "profile=p certifies=none\ndraws=full\n";
  const auto profile = parse_profile(text, "p", names());
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_NE(profile->sha256, sha256_hex(text));
  EXPECT_EQ(profile->sha256,
            sha256_hex(text + "check=draws_some generator=small count=9 seed=7\n"
                              "check=draws_some generator=small count=2 seed=8\n"));
  const std::string lines =
      "profile=p certifies=none\ncheck=draws_none "
      "generator=small count=1 seed=1\n";
  EXPECT_EQ(parse_profile(lines, "p", names())->sha256, sha256_hex(lines));
}

TEST(Draws, OfUnknownProfilesOrNoneAreRefused) {
  const auto refusal = [](const std::string& line) {
    return parse_profile("profile=p certifies=none\n" + line, "p", names()).error().message;
  };
  EXPECT_THAT(refusal("draws=soak"), HasSubstr("p:2: 'draws=soak': allowed are quick, ci, peers"));
  EXPECT_THAT(refusal("draws=peers"), HasSubstr("no battery"));
  EXPECT_THAT(refusal("draws=ci draws=full"), HasSubstr("unknown key 'draws'"));
  EXPECT_THAT(refusal("draws=ci\ncheck=draws_some generator=small count=1 seed=7"),
              HasSubstr("p:3: check 'draws_some' has generator 'small' with seed 7 already, "
                        "by 'draws=ci' in line 2"));
  EXPECT_THAT(refusal("draws=ci\ndraws=full"),
              HasSubstr("p:3: 'draws=full': a profile has one line 'draws=', this one has "
                        "'draws=ci' in line 2"));
}

}  // namespace
}  // namespace assay
