#include "src/selftest/selftest.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/campaign/join_findings.h"
#include "src/core/file.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

using Json = nlohmann::json;

struct DefectEntry {
  const Json& json;
  std::string place;  // file: defect N

  Result<std::string> text(const char* field) const {
    const auto found = json.find(field);
    if (found == json.end() || !found->is_string() || found->get<std::string>().empty()) {
      return make_error(fmt::format("{}: '{}' is missing or no text", place, field));
    }
    return found->get<std::string>();
  }
};

// `expected` names checks, with commas and blanks between.
Status read_expected(const DefectEntry& entry, const BatteryNames& names, Defect& defect) {
  const auto found = entry.json.find("expected");
  if (found == entry.json.end()) { return {}; }
  std::string text = found->is_string() ? found->get<std::string>() : found->dump();
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream words(text);
  for (std::string name; words >> name;) {
    if (!names.check(name)) {
      return make_error(fmt::format(
          "{}: '{}' in 'expected' is no check; assay list checks has them all", entry.place, name));
    }
    defect.expected.push_back(name);
  }
  return {};
}

// `diagnosis`: names of hypotheses and 'quoted words', commas between.
void read_diagnosis(const DefectEntry& entry, Defect& defect) {
  const auto found = entry.json.find("diagnosis");
  if (found == entry.json.end() || !found->is_string()) { return; }
  std::string item;
  bool quoted = false;
  for (const char letter : found->get<std::string>() + ",") {
    if (letter == '\'' || letter == '"') {
      quoted = !quoted;
    } else if (letter == ',' && !quoted) {
      if (!item.empty()) { defect.diagnosis.push_back(item); }
      item.clear();
    } else if (letter != ' ' || quoted) {
      item += letter;
    }
  }
}

bool names_the_kind(const Defect& defect, const Finding& finding) {
  return std::any_of(defect.diagnosis.begin(), defect.diagnosis.end(),
                     [&](const std::string& right) {
                       return finding.diagnosis.hypothesis == right ||
                              (right.find(' ') != std::string::npos || right.starts_with("SIG")
                                   ? finding.verdict.reason.find(right) != std::string::npos
                                   : false);
                     });
}

Status read_smallest(const DefectEntry& entry, Defect& defect) {
  if (!entry.json.contains("smallest")) { return {}; }
  const auto text = entry.text("smallest");
  ASSAY_TRY(text);
  const auto smallest = parse_smallest(*text);
  if (!smallest) {
    return make_error(fmt::format("{}: {}", entry.place, smallest.error().message));
  }
  defect.smallest = *smallest;
  return {};
}

Status read_legal(const DefectEntry& entry, Defect& defect) {
  const auto found = entry.json.find("legal");
  if (found == entry.json.end()) { return {}; }
  if (!found->is_boolean()) {
    return make_error(fmt::format("{}: 'legal' is true or false", entry.place));
  }
  defect.legal = found->get<bool>();
  return {};
}

Result<Defect> read_defect(const DefectEntry& entry, const std::filesystem::path& folder,
                           const BatteryNames& names) {
  Defect defect;
  for (const auto& [field, target] :
       {std::pair{"name", &defect.name}, std::pair{"kind", &defect.kind},
        std::pair{"sentence", &defect.sentence}, std::pair{"plugin", &defect.plugin}}) {
    auto text = entry.text(field);
    ASSAY_TRY(text);
    *target = std::move(*text);
  }
  const std::filesystem::path plugin(defect.plugin);
  if (plugin.is_relative()) { defect.plugin = (folder / plugin).string(); }
  if (auto status = read_expected(entry, names, defect); !status) {
    return tl::unexpected(status.error());
  }
  read_diagnosis(entry, defect);
  if (auto status = read_smallest(entry, defect); !status) {
    return tl::unexpected(status.error());
  }
  if (auto status = read_legal(entry, defect); !status) { return tl::unexpected(status.error()); }
  return defect;
}

Result<std::vector<Defect>> filtered(const std::vector<Defect>& defects, const std::string& filter,
                                     bool legal) {
  std::vector<Defect> chosen;
  try {
    const std::regex pattern(filter);
    std::copy_if(defects.begin(), defects.end(), std::back_inserter(chosen),
                 [&](const Defect& defect) {
                   return defect.legal == legal && std::regex_search(defect.name, pattern);
                 });
  } catch (const std::regex_error& error) {
    return make_error(
        fmt::format("--filter '{}' is no regular expression: {}", filter, error.what()));
  }
  if (!chosen.empty()) { return chosen; }
  std::string allowed;
  for (const Defect& defect : defects) { allowed += (allowed.empty() ? "" : ", ") + defect.name; }
  return make_error(fmt::format("--filter '{}' matches no defect; allowed: {}", filter, allowed));
}

DefectResult certify_defect(const Defect& defect, const Profile& profile, const BatteryNames& names,
                            const OpenSession& open, const SelftestOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  DefectResult result{.defect = defect};
  CertifyOptions certify_options = options.certify;
  certify_options.run.stop_at_first_finding = true;
  auto certification = certify(defect.plugin, profile, names, open, certify_options);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!certification) {
    result.problem = certification.error().message;
    return result;
  }
  result.findings = std::move(certification->findings);
  result.seconds_to_catch = certification->run.seconds;
  const Conclusion conclusion = certification->run.tally.conclusion;
  const bool caught = !result.findings.empty();
  result.right = defect.legal ? conclusion == Conclusion::kPassed : caught;
  if (!caught) {
    if (!result.right) {
      result.problem = fmt::format("the profile ended with {}", name(conclusion));
    }
    return result;
  }
  result.diagnosed = names_the_kind(defect, result.findings.front());
  result.too_large =
      too_large(result.findings.front().shrunk, defect.smallest, certification->run.manifest);
  const std::vector<std::string>& expected = defect.expected;
  result.as_expected =
      expected.empty() || std::find(expected.begin(), expected.end(),
                                    result.findings.front().check->name) != expected.end();
  // A plug-in that was built wrongly hangs, too: where no hang is expected, that catches nothing.
  const bool hung = result.findings.front().verdict.kind == VerdictKind::kHung;
  if (!defect.legal && hung && !result.as_expected && !result.diagnosed) {
    result.right = false;
    result.problem = "it hangs, and neither the check nor the diagnosis is expected";
  }
  return result;
}

}  // namespace

Result<std::vector<Defect>> parse_defects(const std::string& text, const std::string& file,
                                          const BatteryNames& names) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) { return make_error(fmt::format("{}: not JSON", file)); }
  if (!json.is_array() || json.empty()) {
    return make_error(fmt::format("{}: expected a list of defects, one at least", file));
  }
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::vector<Defect> defects;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string place = fmt::format("{}: defect {}", file, i + 1);
    if (!json[i].is_object()) { return make_error(fmt::format("{}: expected an object", place)); }
    auto defect = read_defect({json[i], place}, folder, names);
    ASSAY_TRY(defect);
    defects.push_back(std::move(*defect));
  }
  return defects;
}

Result<std::vector<Defect>> load_defects(const std::string& file, const BatteryNames& names) {
  const auto text = read_file(file);
  if (!text) { return make_error(text.error().message + "; the build makes the list of defects"); }
  return parse_defects(*text, file, names);
}

Result<std::vector<DefectResult>> run_selftest(
    const std::vector<Defect>& defects, const Profile& profile, const BatteryNames& names,
    const std::function<OpenSession(const std::string&)>& open, const SelftestOptions& options) {
  const auto chosen = filtered(defects, options.filter, options.legal);
  ASSAY_TRY(chosen);
  std::vector<DefectResult> results;
  for (const Defect& defect : *chosen) {
    if (options.certify.run.stop && options.certify.run.stop->load()) { break; }
    results.push_back(certify_defect(defect, profile, names, open(defect.plugin), options));
    if (options.done) { options.done(results.back()); }
  }
  return results;
}

std::string selftest_line(const DefectResult& result) {
  const Defect& defect = result.defect;
  if (result.findings.empty()) {
    return fmt::format("{:<7} {:<44} {:>5.1f} s  {}\n        {}\n",
                       result.right ? "passed" : "LIVES", defect.name, result.seconds,
                       result.problem, defect.sentence);
  }
  const Finding& finding = result.findings.front();
  std::string text =
      fmt::format("{:<7} {:<44} {:>5.1f} s  {} by {}{}\n", defect.legal ? "ACCUSED" : "caught",
                  defect.name, result.seconds, wrong_text(finding), finding.check->name,
                  result.as_expected ? "" : " (another check was expected)");
  text += fmt::format("        case    {}\n", short_text(finding.shrunk));
  if (!defect.legal && !result.diagnosed) { text += "        (another diagnosis was expected)\n"; }
  if (!defect.legal && !result.too_large.empty()) {
    text += fmt::format("        (too large to read: {})\n", result.too_large);
  }
  if (!finding.diagnosis.hypothesis.empty()) {
    text += fmt::format("        likely  {}: {} ({:.0f} %)\n", finding.diagnosis.hypothesis,
                        finding.diagnosis.sentence, 100 * finding.diagnosis.share);
  } else {
    text += fmt::format("        reason  {}\n", finding.verdict.reason);
  }
  return text;
}

namespace {

template <class T>
T median(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? T{} : values[values.size() / 2];
}

std::string defects_summary(const std::vector<DefectResult>& results) {
  std::vector<double> seconds;
  std::vector<Index> experts, rows;
  Index diagnosed = 0, small = 0;
  for (const DefectResult& result : results) {
    if (result.defect.legal || result.findings.empty()) { continue; }
    small += result.too_large.empty();
    const CaseSpec& shrunk = result.findings.front().shrunk;
    seconds.push_back(result.seconds_to_catch);
    experts.push_back(shrunk.experts());
    rows.push_back(total_rows(shrunk));
    diagnosed += result.diagnosed;
  }
  if (seconds.empty()) { return ""; }
  return fmt::format(
      "first catch: median {:.2f} s, longest {:.1f} s\n"
      "shrunk: median {} experts and {} rows, largest {} experts, {} rows; {} of {} small enough\n"
      "diagnosed {} of {}\n",
      median(seconds), *std::max_element(seconds.begin(), seconds.end()), median(experts),
      median(rows), *std::max_element(experts.begin(), experts.end()),
      *std::max_element(rows.begin(), rows.end()), small, seconds.size(), diagnosed,
      seconds.size());
}

}  // namespace

bool selftest_holds(const std::vector<DefectResult>& results, SelftestRule rule) {
  Index defects = 0, diagnosed = 0;
  for (const DefectResult& result : results) {
    if (!result.right) { return false; }
    if (result.defect.legal || rule == SelftestRule::kCaught) { continue; }
    if (!result.too_large.empty()) { return false; }
    ++defects;
    diagnosed += result.diagnosed;
  }
  // One by one they may puzzle: only of many is a share a measure.
  constexpr Index kMany = 20;
  return defects < kMany || 5 * diagnosed >= 4 * defects;
}

std::string selftest_summary(const std::vector<DefectResult>& results) {
  Index defects = 0, caught = 0, legal = 0, passed = 0;
  double seconds = 0;
  for (const DefectResult& result : results) {
    ++(result.defect.legal ? legal : defects);
    if (result.right) { ++(result.defect.legal ? passed : caught); }
    seconds += result.seconds;
  }
  std::string text = defects_summary(results) + fmt::format("in {:.1f} s: ", seconds);
  if (defects > 0) { text += fmt::format("{} defects, {} caught", defects, caught); }
  if (defects > 0 && legal > 0) { text += "; "; }
  if (legal > 0) { text += fmt::format("{} legal variants, {} accepted", legal, passed); }
  return text + "\n";
}

}  // namespace assay
