#include "src/campaign/profile.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "src/core/digest.h"
#include "src/core/file.h"
#include "src/core/require.h"
#include "src/core/text.h"
#include "src/probe/probe_check.h"
#include "src/problem/case_list.h"
#include "src/problem/case_text.h"
#include "src/problem/recorded.h"

namespace assay {
namespace {

constexpr std::string_view kDrawsKey = "draws=", kCaseKey = "case=";
constexpr Index kMaxCasesOfALine = 100'000'000;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == text.size()) { return parts; }
    begin = end + 1;
  }
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream stream{std::string(without_comment(line))};
  return {std::istream_iterator<std::string>(stream), {}};
}

template <class Table>
std::string joined_names(const Table& table) {
  std::string text;
  for (const auto& row : table) { text += (text.empty() ? "" : ", ") + std::string(row.name); }
  return text.empty() ? "none" : text;
}

// One line of a profile being read; every refusal begins with the place.
struct Line {
  std::string_view file;
  int number;

  auto refuse(std::string_view message) const {
    return assay::make_error(fmt::format("{}:{}: {}", file, number, message));
  }
};

using Words = std::map<std::string, std::string, std::less<>>;

Result<Words> key_values(const Line& line, const std::vector<std::string>& words,
                         const std::vector<std::string>& allowed) {
  const std::string allowed_text = fmt::format("{}", fmt::join(allowed, ", "));
  Words values;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      return line.refuse(
          fmt::format("{} is not a key=value word; allowed: {}", quote(word), allowed_text));
    }
    const std::string key = word.substr(0, equals);
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
      return line.refuse(
          fmt::format("unknown key {} in {}; allowed: {}", quote(key), quote(word), allowed_text));
    }
    if (!values.emplace(key, word.substr(equals + 1)).second) {
      return line.refuse(fmt::format("{} repeats the key {}", quote(word), quote(key)));
    }
  }
  return values;
}

Result<std::string> required(const Line& line, const Words& values, const std::string& key) {
  const auto found = values.find(key);
  if (found == values.end() || found->second.empty()) {
    return line.refuse(fmt::format("'{}=' is missing", key));
  }
  return found->second;
}

template <class Number>
Result<Number> number(const Line& line, const Words& values, const std::string& key, Number least,
                      Number most) {
  const auto text = required(line, values, key);
  ASSAY_TRY(text);
  Number value{};
  const char* end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end || value < least || value > most) {
    return line.refuse(
        fmt::format("'{}={}': expected a whole number from {} to {}", key, *text, least, most));
  }
  return value;
}

Status read_header(const Line& line, const std::vector<std::string>& words, Profile& profile) {
  const auto values = key_values(line, words, {"profile", "device", "certifies"});
  ASSAY_TRY(values);
  const auto name = required(line, *values, "profile");
  ASSAY_TRY(name);
  if (one_line(*name, kNameLength) != *name) {
    return line.refuse(fmt::format("{} is not a name of up to {} printable characters",
                                   quote(*name), kNameLength));
  }
  profile.name = *name;
  if (const auto device = values->find("device"); device != values->end()) {
    profile.device = device->second;
    if (profile.device != "any" && profile.device != "cpu" && profile.device != "cuda") {
      return line.refuse(fmt::format("'device={}': allowed are any, cpu and cuda", profile.device));
    }
  }
  const auto certifies = required(line, *values, "certifies");
  ASSAY_TRY(certifies);
  for (const std::string& device : split(*certifies, ',')) {
    if (device == "cpu") {
      profile.certifies_cpu = true;
    } else if (device == "cuda") {
      profile.certifies_cuda = true;
    } else if (*certifies != "none") {
      return line.refuse(
          fmt::format("'certifies={}': allowed are none, cpu, cuda and cpu,cuda", *certifies));
    }
  }
  return {};
}

// A profile being read: its text as it is digested, and which line of the file each of its lines
// comes from.
struct Reading {
  const Registry& names;
  Profile profile{};
  std::string digested{};
  std::vector<std::string> places{};
  std::string drawn_by{};  // the line with 'draws='
};

Status known_names(const Line& line, const std::vector<std::string>& checks,
                   const std::vector<std::string>& generators, const Registry& names) {
  for (const std::string& check : checks) {
    if (check == kOwnCasesCheck) {
      return line.refuse(fmt::format(
          "check '{}' draws nothing; its cases are lines 'case=CASE', or `certify --cases FILE`",
          check));
    }
    if (!names.check(check)) {
      return line.refuse(
          fmt::format("{}; allowed: {}", unknown_check(check), joined_names(names.checks)));
    }
  }
  for (const std::string& generator : generators) {
    if (!names.generator(generator)) {
      return line.refuse(fmt::format("unknown generator {}; allowed: {}", quote(generator),
                                     joined_names(names.generators)));
    }
  }
  return {};
}

Status read_profile_line(const Line& line, const std::vector<std::string>& words,
                         const std::string& place, Reading& reading) {
  const auto values = key_values(line, words, {"check", "generator", "count", "seed"});
  ASSAY_TRY(values);
  const auto check_text = required(line, *values, "check");
  ASSAY_TRY(check_text);
  const auto generator_text = required(line, *values, "generator");
  ASSAY_TRY(generator_text);
  const auto count = number<Index>(line, *values, "count", 1, kMaxCasesOfALine);
  ASSAY_TRY(count);
  const auto seed = number<std::uint64_t>(line, *values, "seed", 0, ~std::uint64_t{0});
  ASSAY_TRY(seed);
  const std::vector<std::string> checks = split(*check_text, ',');
  const std::vector<std::string> generators = split(*generator_text, ',');
  ASSAY_TRY(known_names(line, checks, generators, reading.names));
  std::vector<ProfileLine>& lines = reading.profile.lines;
  for (const std::string& check : checks) {
    for (const std::string& generator : generators) {
      const auto same = [&](const ProfileLine& other) {
        return other.check == check && other.generator == generator && other.seed == *seed;
      };
      const auto earlier = std::ranges::find_if(lines, same);
      if (earlier != lines.end()) {
        return line.refuse(fmt::format("check '{}' has generator '{}' with seed {} already, by {}",
                                       check, generator, *seed,
                                       reading.places[earlier - lines.begin()]));
      }
      lines.push_back({check, generator, *count, *seed});
      reading.places.push_back(place);
    }
  }
  return {};
}

struct DrawnProfile {
  std::string_view name;
  Index Draw::*count;
};
constexpr DrawnProfile kDrawnProfiles[] = {
    {"quick", &Draw::quick}, {"ci", &Draw::ci}, {"peers", &Draw::peers}, {"full", &Draw::full}};

// The cases that the checks have for a profile. The file does not show them: its digest does.
Status read_draws(const Line& line, const std::string& word, Reading& reading) {
  const auto* const drawn =
      std::ranges::find(kDrawnProfiles, word.substr(kDrawsKey.size()), &DrawnProfile::name);
  if (drawn == std::end(kDrawnProfiles)) {
    return line.refuse(
        fmt::format("{}: allowed are {}", quote(word), joined_names(kDrawnProfiles)));
  }
  if (!reading.drawn_by.empty()) {
    return line.refuse(fmt::format("{}: a profile has one line 'draws=', this one has {}",
                                   quote(word), reading.drawn_by));
  }
  reading.drawn_by = fmt::format("{} in line {}", quote(word), line.number);
  for (const Check& check : reading.names.checks) {
    for (const Draw& draw : check.draws) {
      if (draw.*drawn->count == 0) { continue; }
      const std::string text = fmt::format("check={} generator={} count={} seed={}", check.name,
                                           draw.generator, draw.*drawn->count, draw.seed);
      ASSAY_TRY(read_profile_line(line, words_of(text), reading.drawn_by, reading));
      reading.digested += text + "\n";
    }
  }
  return {};
}

Status read_case(const Line& line, std::string_view text, const Registry& names,
                 std::vector<CaseSpec>& cases) {
  if (!names.check(kOwnCasesCheck)) {
    return line.refuse(fmt::format("'case=' needs the check {}", kOwnCasesCheck));
  }
  if (static_cast<Index>(cases.size()) >= kMostOwnCases) {
    return line.refuse(fmt::format("more than {} cases", kMostOwnCases));
  }
  const auto spec = parse_case(text);
  if (!spec) { return line.refuse(spec.error().message); }
  cases.push_back(*spec);
  return {};
}

// Every profile asks whether the manifest is true: without that none would be worth its verdict.
void add_probe(const Registry& names, Profile& profile) {
  const std::string probe(the_manifest_agrees_with_the_probe().name);
  const auto is_probe = [&](const ProfileLine& line) { return line.check == probe; };
  if (!names.check(probe) || std::ranges::any_of(profile.lines, is_probe)) { return; }
  profile.lines.push_back({probe, std::string(names.generators.front().name), 1, 0});
}

std::string profiles_folder() { return corpus_folder() + "/profiles"; }

// FNV-1a: the same on every machine.
std::uint64_t hash(std::uint64_t state, std::string_view text) {
  for (const char c : text) { state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3u; }
  return (state ^ 0xff) * 0x100000001b3u;
}

}  // namespace

Index Profile::cases() const {
  Index sum = 0;
  for (const ProfileLine& line : lines) { sum += line.count; }
  return sum;
}

bool Profile::certifies(std::string_view kernel_device) const {
  return kernel_device == "cpu" ? certifies_cpu : kernel_device == "cuda" && certifies_cuda;
}

const Check* Registry::check(std::string_view name) const {
  const auto found = std::find_if(checks.begin(), checks.end(),
                                  [&](const Check& row) { return row.name == name; });
  return found == checks.end() ? nullptr : &*found;
}

const Generator* Registry::generator(std::string_view name) const {
  const auto found = std::find_if(generators.begin(), generators.end(),
                                  [&](const Generator& row) { return row.name == name; });
  return found == generators.end() ? nullptr : &*found;
}

Registry every_name() {
  static const std::vector<Check> checks = [] {
    std::vector<Check> list(all_checks().begin(), all_checks().end());
    list.push_back(the_manifest_agrees_with_the_probe());
    return list;
  }();
  return {checks, all_generators()};
}

Result<Profile> parse_profile(std::string_view text, std::string_view file, const Registry& names) {
  Reading reading{.names = names, .digested = std::string(text)};
  Profile& profile = reading.profile;
  std::vector<CaseSpec> cases;
  Line line{file, 0};
  for (const std::string& content : split(text, '\n')) {
    ++line.number;
    const std::vector<std::string> words = words_of(content);
    if (words.empty()) { continue; }
    if (profile.name.empty()) {
      ASSAY_TRY(read_header(line, words, profile));
    } else if (words.size() == 1 && words[0].starts_with(kDrawsKey)) {
      ASSAY_TRY(read_draws(line, words[0], reading));
    } else if (words[0].starts_with(kCaseKey)) {
      const std::string_view text_of_case = trim(without_comment(content));
      ASSAY_TRY(read_case(line, text_of_case.substr(kCaseKey.size()), names, cases));
    } else {
      ASSAY_TRY(read_profile_line(line, words, fmt::format("line {}", line.number), reading));
    }
  }
  if (profile.name.empty()) {
    return line.refuse("no header; expected 'profile=NAME device=any certifies=none'");
  }
  add_own_cases(profile, cases);
  if (profile.lines.empty()) {
    return line.refuse(
        "no battery; expected 'check=NAMES generator=NAMES count=N seed=S', 'draws=ci' or "
        "'case=CASE'");
  }
  profile.sha256 = sha256_hex(reading.digested);
  add_probe(names, profile);
  return profile;
}

Result<Profile> load_profile(const std::string& name, const Registry& names) {
  const bool is_path = name.find('/') != std::string::npos || name.ends_with(".profile");
  const std::string path = is_path ? name : profiles_folder() + "/" + name + ".profile";
  const auto text = read_file(path);
  if (!text) {
    return make_error(fmt::format("profile {}: {}; allowed: {} or a path", quote(name),
                                  text.error().message, fmt::join(profile_names(), ", ")));
  }
  auto profile = parse_profile(*text, path, names);
  if (profile && !is_path && profile->name != name) {
    return make_error(
        fmt::format("{}:1: 'profile={}' does not match the file's name", path, profile->name));
  }
  return profile;
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(profiles_folder(), error)) {
    if (entry.path().extension() == ".profile") { names.push_back(entry.path().stem().string()); }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::uint64_t case_seed(const ProfileLine& line, std::uint64_t shift) {
  const std::uint64_t names = hash(hash(0xcbf29ce484222325u, line.check), line.generator);
  return names ^ ((line.seed + shift) * 0x9e3779b97f4a7c15u);
}

void add_own_cases(Profile& profile, const std::vector<CaseSpec>& cases) {
  if (cases.empty()) { return; }
  if (profile.own_cases.empty()) {
    profile.lines.insert(profile.lines.begin(),
                         {std::string(kOwnCasesCheck), std::string(kGiven), 0, 0});
  }
  profile.own_cases.insert(profile.own_cases.end(), cases.begin(), cases.end());
  profile.lines.front().count = static_cast<Index>(profile.own_cases.size());
}

std::string own_cases_sha256(const Profile& profile) {
  if (profile.own_cases.empty()) { return ""; }
  std::string lines;
  for (const CaseSpec& spec : profile.own_cases) { lines += canonical_text(spec) + "\n"; }
  return sha256_hex(lines);
}

CaseSpec case_of_line(const Profile& profile, const ProfileLine& line, const Registry& names,
                      const Manifest& manifest, Index index) {
  if (line.generator == kGiven) { return profile.own_cases[index]; }
  const Check* check = names.check(line.check);
  const Generator* generator = names.generator(line.generator);
  ASSAY_REQUIRE(check != nullptr && generator != nullptr, line.check, line.generator);
  return nth_case(*generator, *check, manifest, case_seed(line, 0), index);
}

}  // namespace assay
