#include "src/campaign/profile.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/campaign/plan.h"
#include "src/problem/case_text.h"
#include "tests/campaign/fake_kernel.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

const Check kNamedChecks[] = {testing::fake_check("first_check"),
                              testing::fake_check("second_check")};
const Generator kNamedGenerators[] = {testing::fake_generator("small"),
                                      testing::fake_generator("skewed")};
const Registry kTwoChecks{kNamedChecks, kNamedGenerators};

std::string refusal(const std::string& text) {
  const auto profile = parse_profile(text, "p.profile", kTwoChecks);
  EXPECT_FALSE(profile) << text;
  return profile ? "" : profile.error().message;
}

TEST(Profile, ListsOfNamesMeanEveryPair) {
  const auto profile = parse_profile(
      "# a comment\n"
      "certifies=cpu profile=ci   # words in any order\n"
      "\n"
      "check=first_check,second_check generator=small,skewed count=3 seed=7\n",
      "p.profile", kTwoChecks);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->name, "ci");
  EXPECT_EQ(profile->device, "any");
  const std::vector<ProfileLine> expected = {{"first_check", "small", 3, 7},
                                             {"first_check", "skewed", 3, 7},
                                             {"second_check", "small", 3, 7},
                                             {"second_check", "skewed", 3, 7}};
  EXPECT_EQ(profile->lines, expected);
  EXPECT_EQ(profile->cases(), 12);
}

TEST(Profile, CertifiesOnlyTheDevicesItNames) {
  const std::string line = "\ncheck=first_check generator=small count=1 seed=0";
  const auto certifies = [&](const std::string& word, std::string_view device) {
    const auto profile = parse_profile("profile=p certifies=" + word + line, "p", kTwoChecks);
    return profile && profile->certifies(device);
  };
  EXPECT_TRUE(certifies("cpu", "cpu"));
  EXPECT_FALSE(certifies("cpu", "cuda"));
  EXPECT_TRUE(certifies("cpu,cuda", "cuda"));
  EXPECT_FALSE(certifies("none", "cpu"));
  EXPECT_FALSE(certifies("cpu", "tpu"));
}

TEST(Profile, RefusesWithPlaceWordAndWhatIsAllowed) {
  const std::string header = "profile=p certifies=none\n";
  const std::string good = "check=first_check generator=small count=1 seed=0\n";
  EXPECT_THAT(refusal(header + good + "\ncheck=third generator=small count=1 seed=0"),
              AllOf(HasSubstr("p.profile:4: "), HasSubstr("'third'"),
                    HasSubstr("first_check, second_check")));
  EXPECT_THAT(refusal(header + "check=first_check generator=big count=1 seed=0"),
              AllOf(HasSubstr("p.profile:2: "), HasSubstr("'big'"), HasSubstr("small, skewed")));
  EXPECT_THAT(refusal(header + "check=first_check generator=small count=0 seed=0"),
              AllOf(HasSubstr("'count=0'"), HasSubstr("from 1")));
  EXPECT_THAT(refusal(header + "check=first_check generator=small count=1x seed=0"),
              HasSubstr("'count=1x'"));
  EXPECT_THAT(refusal(header + "check=first_check generator=small seed=0"),
              HasSubstr("'count=' is missing"));
  EXPECT_THAT(refusal(header + "check=first_check generator=small count=1 seed=0 seed=1"),
              HasSubstr("repeats"));
  EXPECT_THAT(refusal(header + "check=first_check generator=small cuont=1 seed=0"),
              AllOf(HasSubstr("'cuont'"), HasSubstr("check, generator, count, seed")));
  EXPECT_THAT(refusal(header + "nonsense"), HasSubstr("'nonsense'"));
  EXPECT_THAT(refusal(header + good + good), HasSubstr("already"));
}

TEST(Profile, RefusesABadHeaderAndEmptyFiles) {
  EXPECT_THAT(refusal("profile=p certifies=gpu\n"), HasSubstr("'certifies=gpu'"));
  EXPECT_THAT(refusal("profile=p certifies=none device=tpu\n"), HasSubstr("'device=tpu'"));
  EXPECT_THAT(refusal("check=first_check generator=small count=1 seed=0"),
              HasSubstr("p.profile:1"));
  EXPECT_THAT(refusal(""), HasSubstr("no header"));
  EXPECT_THAT(refusal("profile=p certifies=none\n# nothing\n"), HasSubstr("no battery"));
}

TEST(Profile, EveryPairDrawsCasesOfItsOwn) {
  const ProfileLine line{"first_check", "small", 1, 5};
  ProfileLine other_check = line, other_generator = line, other_seed = line;
  other_check.check = "second_check";
  other_generator.generator = "skewed";
  other_seed.seed = 6;
  EXPECT_NE(case_seed(line, 0), case_seed(other_check, 0));
  EXPECT_NE(case_seed(line, 0), case_seed(other_generator, 0));
  EXPECT_NE(case_seed(line, 0), case_seed(other_seed, 0));
  EXPECT_EQ(case_seed(line, 1), case_seed(other_seed, 0)) << "a shift adds to the seed";
  EXPECT_EQ(case_seed(line, 0), case_seed(line, 0));
}

TEST(Profile, OurOwnProfilesLoadAndQuickCertifiesNothing) {
  for (const std::string& name : profile_names()) {
    const auto profile = load_profile(name, every_name());
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->name, name);
  }
  const auto quick = load_profile("quick", every_name());
  ASSERT_TRUE(quick) << quick.error().message;
  EXPECT_FALSE(quick->certifies("cpu") || quick->certifies("cuda"));
  const auto ci = load_profile("ci", every_name());
  ASSERT_TRUE(ci) << ci.error().message;
  EXPECT_TRUE(ci->certifies("cpu"));
  EXPECT_FALSE(ci->certifies("cuda"));
}

// Other projects' kernels are judged by what certifies ours, on fewer cases.
TEST(Profile, PeersHasEveryLineOfFullOnAFifthAndCertifiesNothing) {
  const auto full = load_profile("full", every_name()), peers = load_profile("peers", every_name());
  ASSERT_TRUE(full && peers);
  const Registry names = every_name();
  EXPECT_FALSE(peers->certifies("cpu") || peers->certifies("cuda"));
  ASSERT_EQ(peers->lines.size(), full->lines.size());
  for (std::size_t i = 0; i < full->lines.size(); ++i) {
    EXPECT_EQ(peers->lines[i].check, full->lines[i].check);
    EXPECT_EQ(peers->lines[i].generator, full->lines[i].generator);
    EXPECT_EQ(peers->lines[i].seed, full->lines[i].seed);
    EXPECT_GE(peers->lines[i].count, 1);
    // What a check counts off is whole in every profile.
    if (names.check(full->lines[i].check)->enumerate != nullptr) { continue; }
    EXPECT_LE(peers->lines[i].count, full->lines[i].count / 5 + 1) << full->lines[i].check;
  }
}

TEST(Profile, ALineCaseIsACaseOfItsOwn) {
  const std::string head = "profile=p certifies=cpu\n";
  const auto profile = parse_profile(head +
                                         "case=pass=fwd k=8 n=8 rows=3 # mine\n"
                                         "check=k_and_n_tails generator=small count=2 seed=9\n"
                                         "case= pass=wgrad k=8 n=8 rows=0*2,1\n",
                                     "p.profile", every_name());
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->lines.front(),
            (ProfileLine{std::string(kOwnCasesCheck), std::string(kGiven), 2, 0}));
  ASSERT_EQ(profile->own_cases.size(), 2U);
  EXPECT_EQ(profile->own_cases[0].rows, std::vector<Index>{3});
  EXPECT_EQ(profile->own_cases[1].rows, (std::vector<Index>{0, 0, 1}));
  EXPECT_EQ(profile->cases(), 5) << "with the probe's";
  const auto refused = [&](const std::string& line) {
    return parse_profile(head + line, "p.profile", every_name()).error().message;
  };
  EXPECT_THAT(refused("case=pass=fwd k=x n=8 rows=3"),
              AllOf(HasSubstr("p.profile:2: "), HasSubstr("'k=x'")));
  EXPECT_THAT(refused("case="), HasSubstr("p.profile:2: "));
  EXPECT_THAT(refused("check=own_cases_are_right generator=small count=1 seed=0"),
              HasSubstr("p.profile:2: check 'own_cases_are_right' draws nothing"));
}

TEST(Profile, CasesThatAreGivenComeFirstAndChangeNoOther) {
  const auto ci = load_profile("ci", every_name());
  ASSERT_TRUE(ci) << ci.error().message;
  const std::vector<CaseSpec> cases = {*parse_case("pass=fwd k=8 n=8 rows=3"),
                                       *parse_case("pass=fwd k=8 n=8 rows=4")};
  Profile with = *ci;
  add_own_cases(with, cases);
  EXPECT_EQ(with.sha256, ci->sha256);
  EXPECT_EQ(with.cases(), ci->cases() + 2);
  EXPECT_EQ(own_cases_sha256(*ci), "");
  EXPECT_EQ(own_cases_sha256(with).size(), 64U);
  const Manifest manifest = testing::every_manifest();
  const auto plan = make_plan(with, every_name(), manifest, {});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(plan->whole_profile);
  EXPECT_EQ(plan->checks.front().check->name, kOwnCasesCheck);
  std::vector<CaseSpec> planned;
  for (const Index job : plan->checks.front().jobs) {
    planned.push_back(plan->draw(job, manifest));
  }
  EXPECT_EQ(planned, cases);
  const auto before = make_plan(*ci, every_name(), manifest, {});
  ASSERT_TRUE(before);
  ASSERT_EQ(plan->checks.size(), before->checks.size() + 1);
  for (std::size_t row = 0; row < before->checks.size(); ++row) {
    const CheckJobs &now = plan->checks[row + 1], &then = before->checks[row];
    ASSERT_EQ(now.jobs.size(), then.jobs.size()) << then.check->name;
    if (then.jobs.empty()) { continue; }
    EXPECT_EQ(plan->draw(now.jobs.back(), manifest), before->draw(then.jobs.back(), manifest));
  }
}

// Cases with scales are drawn for kernels that take some, and the others stay as they are.
TEST(Profile, LinesOfScalesAreForKernelsThatListThem) {
  const auto ci = load_profile("ci", every_name());
  ASSERT_TRUE(ci) << ci.error().message;
  Manifest manifest = testing::every_manifest();
  const auto plain = make_plan(*ci, every_name(), manifest, {});
  manifest.formats.push_back(*parse_combination("e4m3/block128", "fp32"));
  const auto scaled = make_plan(*ci, every_name(), manifest, {});
  ASSERT_TRUE(plain && scaled);
  const auto of_scales = [](const Plan& plan) {
    return std::ranges::count(plan.lines, "scaled", &ProfileLine::generator);
  };
  EXPECT_EQ(of_scales(*plain), 0);
  EXPECT_GT(of_scales(*scaled), 15);
  EXPECT_EQ(std::ssize(scaled->lines) - of_scales(*scaled), std::ssize(plain->lines));
}

TEST(Profile, AnUnknownOneNamesTheOthers) {
  const auto profile = load_profile("no_such", every_name());
  ASSERT_FALSE(profile);
  EXPECT_THAT(profile.error().message, AllOf(HasSubstr("'no_such'"), HasSubstr("quick")));
}

// A check that no certifying profile runs has no teeth.
TEST(Profile, CiRunsEveryCheck) {
  const auto ci = load_profile("ci", every_name());
  ASSERT_TRUE(ci) << ci.error().message;
  for (const Check& check : all_checks()) {
    if (check.name == kOwnCasesCheck) { continue; }  // its cases are given
    const auto runs = [&](const ProfileLine& line) { return line.check == check.name; };
    EXPECT_TRUE(std::any_of(ci->lines.begin(), ci->lines.end(), runs)) << check.name;
  }
}

}  // namespace
}  // namespace assay
