// Profile: which cases of which generators every check gets, with their seeds: one name means the
// same case lines everywhere, in shards and after a resume. A file in corpus/profiles names it; the
// checks name their cases of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "properties/check.h"
#include "properties/generators/generator.h"
#include "src/core/error.h"

namespace assay {

// The check that judges what a user gives, and what its line has in place of a generator.
inline constexpr std::string_view kOwnCasesCheck = "own_cases_are_right", kGiven = "given";

// Cases 0 .. count-1 of one generator for one check.
struct ProfileLine {
  std::string check;
  std::string generator;
  Index count = 0;
  std::uint64_t seed = 0;
  friend bool operator==(const ProfileLine&, const ProfileLine&) = default;
};

struct Profile {
  std::string name;
  std::string device = "any";  // kernels that it may run on: any | cpu | cuda
  bool certifies_cpu = false;
  bool certifies_cuda = false;
  std::vector<ProfileLine> lines{};
  std::vector<CaseSpec> own_cases{};  // of the line of kGiven, which comes first
  std::string sha256{};               // of the file, and of the lines that checks bring to it

  Index cases() const;
  bool certifies(std::string_view kernel_device) const;
};

// The names that a profile may use; all_checks() with the probe's, and all_generators(), unless a
// test brings its own.
struct Registry {
  std::span<const Check> checks;
  std::span<const Generator> generators;

  const Check* check(std::string_view name) const;
  const Generator* generator(std::string_view name) const;
};
Registry every_name();

// A file has one header `profile=ci device=any certifies=cpu` and lines
// `check=NAMES generator=NAMES count=N seed=S`, words in any order, '#' opens a comment. NAMES is a
// comma list; every listed check gets every listed generator, count cases of each. A line
// `draws=full` stands for the cases that each check has for full (Check::draws), a line
// `case=pass=fwd k=96 ...` for that case. The check that the manifest is true need not be listed:
// every profile has it. Errors: `file:line: ` with the word quoted and what is allowed.
Result<Profile> parse_profile(std::string_view text, std::string_view file, const Registry& names);

// `ci` is corpus/profiles/ci.profile; a word with '/' or ending in .profile is a path.
Result<Profile> load_profile(const std::string& name, const Registry& names);
std::vector<std::string> profile_names();

// The seed of one line's cases: every (check, generator) pair draws cases of its own, whatever
// seeds are shared.
std::uint64_t case_seed(const ProfileLine& line, std::uint64_t shift);

// Gives a profile cases of the user's own beside those that it draws.
void add_own_cases(Profile& profile, const std::vector<CaseSpec>& cases);
// Of their canonical lines; empty where there are none.
std::string own_cases_sha256(const Profile& profile);
// Case `index` of one of the profile's lines, under its own seeds.
CaseSpec case_of_line(const Profile& profile, const ProfileLine& line, const Registry& names,
                      const Manifest& manifest, Index index);

}  // namespace assay
