#include "src/selftest/selftest.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/campaign/join_findings.h"
#include "src/campaign/pattern.h"
#include "src/core/file.h"
#include "src/core/json_fields.h"
#include "src/core/json_object.h"
#include "src/core/json_text.h"
#include "src/core/parallel.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

// Names of checks, with commas and blanks between.
Result<std::vector<std::string>> parse_expected(std::string text, const Registry& names) {
  std::vector<std::string> expected;
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream words(text);
  for (std::string name; words >> name;) {
    if (!names.check(name)) {
      return make_error(quote(name) + " is not a check; assay list checks has them all");
    }
    expected.push_back(name);
  }
  return expected;
}

// Names of hypotheses and 'quoted words', commas between.
std::vector<std::string> parse_diagnosis(const std::string& text) {
  std::vector<std::string> names;
  std::string item;
  bool quoted = false;
  for (const char letter : text + ",") {
    if (letter == '\'' || letter == '"') {
      quoted = !quoted;
    } else if (letter == ',' && !quoted) {
      if (!item.empty()) { names.push_back(item); }
      item.clear();
    } else if (letter != ' ' || quoted) {
      item += letter;
    }
  }
  return names;
}

bool names_the_kind(const Defect& defect, const Finding& finding) {
  return std::any_of(defect.diagnosis.begin(), defect.diagnosis.end(),
                     [&](const std::string& right) {
                       return finding.diagnosis.hypothesis == right ||
                              (right.find(' ') != std::string::npos || right.starts_with("SIG")
                                   ? finding.verdict.reason.find(right) != std::string::npos ||
                                         finding.diagnosis.sentence.find(right) != std::string::npos
                                   : false);
                     });
}

void required_text(JsonFields& json, const char* field, std::string& text) {
  json(field, text);
  if (text.empty()) { json.fail(field, "is empty"); }
}

// Takes what was parsed, or keeps why it could not be.
template <class T>
void take(JsonFields& json, const char* field, Result<T> parsed, T& to) {
  if (parsed) {
    to = std::move(*parsed);
  } else {
    json.fail(field, parsed.error().message);
  }
}

void read_defect(JsonFields& json, Defect& defect, const Registry& names) {
  std::string expected, diagnosis, smallest, report;
  required_text(json, "name", defect.name);
  required_text(json, "kind", defect.kind);
  required_text(json, "sentence", defect.sentence);
  required_text(json, "plugin", defect.plugin);
  json.lenient("legal", defect.legal);
  json.lenient("expected", expected);
  json.lenient("first", defect.first);
  json.lenient("diagnosis", diagnosis);
  json.lenient("smallest", smallest);
  json.lenient("report", report);  // for people
  take(json, "expected", parse_expected(expected, names), defect.expected);
  if (!defect.first.empty() && !names.check(defect.first)) {
    json.fail("first", unknown_check(defect.first));
  }
  defect.diagnosis = parse_diagnosis(diagnosis);
  if (!smallest.empty()) { take(json, "smallest", parse_smallest(smallest), defect.smallest); }
}

Result<std::vector<Defect>> filtered(const std::vector<Defect>& defects, const std::string& filter,
                                     bool legal) {
  const auto pattern = Pattern::parse("--filter", filter);
  ASSAY_TRY(pattern);
  std::vector<Defect> chosen;
  std::copy_if(defects.begin(), defects.end(), std::back_inserter(chosen),
               [&](const Defect& defect) {
                 return defect.legal == legal && pattern->is_found_in(defect.name);
               });
  if (!chosen.empty()) { return chosen; }
  const bool of_other_kind = std::ranges::any_of(
      defects, [&](const Defect& defect) { return pattern->is_found_in(defect.name); });
  return make_error(fmt::format("--filter {} matches no {} of the {} that the list has{}",
                                quote(filter), legal ? "legal variant" : "defect",
                                std::ranges::count(defects, legal, &Defect::legal),
                                !of_other_kind ? ""
                                : legal        ? "; without --legal it matches defects"
                                               : "; with --legal it matches legal variants"));
}

// Whether every check that passes kernels passed, or met cases in which wrong answers keep the
// bound, too, or has no case in this part of the profile.
bool only_proves_little(const Tally& tally, bool in_parts) {
  return std::ranges::all_of(tally.checks, [in_parts](const CheckTally& check) {
    return check.verdict == VerdictKind::kPassed || check.verdict == VerdictKind::kMeasured ||
           check.verdict == VerdictKind::kNotApplicable ||
           check.verdict == VerdictKind::kInconclusive || check.check->measures ||
           (in_parts && check.verdict == VerdictKind::kNotRun && check.drawn == 0);
  });
}

bool accepts(const Tally& tally, const SelftestOptions& options) {
  return tally.conclusion == Conclusion::kPassed ||
         (options.may_prove_nothing && tally.conclusion == Conclusion::kIncomplete &&
          only_proves_little(tally, options.parts > 1) && tally.domain.total() > 0);
}

// By its first check alone where the profile has that one and it catches the defect, else by the
// whole profile.
Result<Certification> certify_until_found(const Defect& defect, const Profile& profile,
                                          const Registry& names, const OpenSession& open,
                                          const CertifyOptions& options, DefectResult& result) {
  if (std::ranges::find(profile.lines, defect.first, &ProfileLine::check) != profile.lines.end()) {
    CertifyOptions first = options;
    first.run.filter = "^" + defect.first + "$";
    auto found = certify(defect.plugin, profile, names, open, first);
    if (!found || !found->findings.empty()) { return found; }
    result.first_missed = true;
  }
  return certify(defect.plugin, profile, names, open, options);
}

DefectResult certify_defect(const Defect& defect, const Profile& profile, const Registry& names,
                            const OpenSession& open, const SelftestOptions& options, int threads,
                            const Shard& shard) {
  const auto start = std::chrono::steady_clock::now();
  DefectResult result{.defect = defect};
  CertifyOptions certify_options = options.certify;
  certify_options.run.stop_at_first_finding = true;
  certify_options.run.threads = threads;
  certify_options.run.shard = shard;
  auto certification = certify_until_found(defect, profile, names, open, certify_options, result);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!certification) {
    result.problem = certification.error().message;
    return result;
  }
  result.findings = std::move(certification->findings);
  result.seconds_to_catch = certification->run.seconds;
  const Tally& tally = certification->run.tally;
  const bool caught = !result.findings.empty();
  result.right = defect.legal ? accepts(tally, options) : caught;
  if (!caught) {
    if (!result.right || (options.parts == 1 && tally.conclusion != Conclusion::kPassed)) {
      result.problem = fmt::format("the profile ended with {}", name(tally.conclusion));
    }
    return result;
  }
  result.diagnosed = names_the_kind(defect, result.findings.front());
  // What the probe finds is about no case, and what comes and goes does not shrink.
  const Finding& finding = result.findings.front();
  if (finding.check->shrinks && finding.diagnosis.hypothesis != "sporadic") {
    result.too_large =
        too_large(result.findings.front().shrunk, defect.smallest, certification->run.manifest);
  }
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

// Results as they come, told in the order of the defects.
class InOrder {
 public:
  InOrder(std::size_t count, const std::function<void(const DefectResult&)>& done)
      : results_(count), done_(done) {}

  void add(std::size_t at, DefectResult result) {
    const std::scoped_lock lock(mutex_);
    results_[at] = std::move(result);
    for (; told_ < results_.size() && results_[told_]; ++told_) {
      if (done_) { done_(*results_[told_]); }
    }
  }

  std::vector<DefectResult> taken() {
    std::vector<DefectResult> taken;
    for (auto& result : results_) {
      if (result) { taken.push_back(std::move(*result)); }
    }
    return taken;
  }

 private:
  std::mutex mutex_;
  std::vector<std::optional<DefectResult>> results_;
  const std::function<void(const DefectResult&)>& done_;
  std::size_t told_ = 0;
};

}  // namespace

Result<std::vector<Defect>> parse_defects(const std::string& text, const std::string& file,
                                          const Registry& names) {
  const Json json = nests_deeper(text, 8) ? Json() : try_parse_json(text);
  if (json.is_null() || json.is_discarded()) {
    return make_error(fmt::format("{}: not JSON", file));
  }
  if (!json.is_array() || json.empty()) {
    return make_error(fmt::format("{}: expected a list of defects, one at least", file));
  }
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::vector<Defect> defects;
  for (const Json& item : json) {
    Defect& defect = defects.emplace_back();
    const Status status =
        read_fields(item, "", [&](JsonFields& entry) { read_defect(entry, defect, names); });
    if (!status) {
      return make_error(
          fmt::format("{}: defect {}: {}", file, defects.size(), status.error().message));
    }
    defect.plugin = (folder / defect.plugin).string();  // an absolute one stays
  }
  return defects;
}

Result<std::vector<Defect>> load_defects(const std::string& file, const Registry& names) {
  const auto text = read_file(file);
  if (!text) { return make_error(text.error().message + "; the build makes the list of defects"); }
  return parse_defects(*text, file, names);
}

Result<std::vector<DefectResult>> run_selftest(
    const std::vector<Defect>& defects, const Profile& profile, const Registry& names,
    const std::function<OpenSession(const std::string&)>& open, const SelftestOptions& options) {
  const auto chosen = filtered(defects, options.filter, options.legal);
  ASSAY_TRY(chosen);
  // Shrinking and explaining are the work of one thread: several defects at once, of a thread each,
  // keep all cores busy.
  const int workers = options.certify.run.threads;
  const int at_once =
      options.side_by_side ? static_cast<int>(std::min<Index>(workers, std::ssize(*chosen))) : 1;
  const int threads = at_once > 1 ? std::max(1, workers / at_once) : workers;
  InOrder results(chosen->size(), options.done);
  parallel_for(std::ssize(*chosen), std::max(1, at_once), [&](int, Index i) {
    if (options.certify.run.stop && options.certify.run.stop->load()) { return; }
    const Defect& defect = (*chosen)[static_cast<std::size_t>(i)];
    const Shard shard{.part = i % options.parts + 1, .parts = options.parts};
    results.add(
        static_cast<std::size_t>(i),
        certify_defect(defect, profile, names, open(defect.plugin), options, threads, shard));
  });
  return results.taken();
}

std::string selftest_line(const DefectResult& result) {
  const Defect& defect = result.defect;
  if (result.findings.empty()) {
    return fmt::format("{:<7} {:<44} {:>5.1f} s  {}\n        {}\n",
                       result.right ? "passed" : "SURVIVED", defect.name, result.seconds,
                       result.problem, defect.sentence);
  }
  const Finding& finding = result.findings.front();
  std::string text =
      fmt::format("{:<7} {:<44} {:>5.1f} s  {} by {}{}\n", defect.legal ? "ACCUSED" : "caught",
                  defect.name, result.seconds, wrong_text(finding), finding.check->name,
                  result.as_expected ? "" : " (another check was expected)");
  text += fmt::format("        case    {}\n", short_text(finding.shrunk));
  if (result.first_missed) {
    text +=
        fmt::format("        (not by {}, which was run first: its line 'first' is out of date)\n",
                    defect.first);
  }
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
