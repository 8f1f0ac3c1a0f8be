#include "src/search/fuzz_command.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

#include "properties/support/run_check.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"
#include "src/problem/recorded.h"
#include "src/search/fuzz_process.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr Index kMostRestarts = 25;
constexpr std::size_t kMostFailures = 60;
constexpr int kTimeoutExit = 70;  // libFuzzer's

// A folder for the corpus, artifacts and output of one search; gone with it.
class Scratch {
 public:
  Scratch() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "assay-fuzz-XXXXXX").string();
    if (const char* made = mkdtemp(name.data())) { path_ = made; }
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) { fs::remove_all(path_, ignored); }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Index files_in(const fs::path& folder) {
  Index files = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    files += entry->is_regular_file(error) ? 1 : 0;
  }
  return files;
}

// A failure as the searching process met it.
struct Met {
  VerdictKind kind = VerdictKind::kFailed;
  std::string check;
  std::string line;
};

class Search {
 public:
  Search(const std::string& kernel, const FuzzOptions& options, std::string program)
      : kernel_(kernel), options_(options), program_(std::move(program)) {}

  Status run();
  const FuzzState& state() const { return state_; }
  const std::vector<Met>& met() const { return met_; }
  Index corpus_files() const { return files_in(corpus()); }

 private:
  fs::path corpus() const {
    return options_.corpus.empty() ? scratch_.path() / "corpus" : fs::path(options_.corpus);
  }
  bool is_over() const {
    const bool stopped = options_.stop && options_.stop->load();
    return stopped || !(elapsed() < options_.seconds) || met_.size() >= kMostFailures;
  }
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  std::vector<std::string> words() const;
  Status run_once();
  void take(const std::string& line);
  Status explain_end(int exit_code);

  const std::string& kernel_;
  const FuzzOptions& options_;
  std::string program_;
  Scratch scratch_;
  Clock::time_point start_ = Clock::now();
  FuzzState state_;
  std::vector<Met> met_;
  Index runs_before_ = 0;  // of processes that have ended
  std::string last_line_;
};

std::vector<std::string> Search::words() const {
  const auto left = static_cast<long>(std::max(1.0, options_.seconds - elapsed() + 0.5));
  std::vector<std::string> words = {
      corpus().string(),
      fmt::format("-max_total_time={}", left),
      fmt::format("-timeout={}", std::max(1L, static_cast<long>(options_.deadline_seconds))),
      fmt::format("-artifact_prefix={}/", scratch_.path().string()),
      "-max_len=2048",
      "-len_control=0",
      "-rss_limit_mb=4096",
      "-detect_leaks=0",
      "-reload=0"};
  if (options_.seed != 0) { words.push_back(fmt::format("-seed={}", options_.seed)); }
  // Our own cases are a start for any kernel; new ones go to the first folder.
  const fs::path seeds = fs::path(corpus_folder()) / "fuzz_kernel";
  std::error_code error;
  if (fs::is_directory(seeds, error) && seeds != corpus()) { words.push_back(seeds.string()); }
  return words;
}

void Search::take(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  if (word == "run") {
    last_line_ = line.substr(4);
  } else if (word == "state") {
    Index runs = 0;
    words >> runs >> state_.features;
    state_.runs = runs_before_ + runs;
  } else if (word == "failure") {
    Met met;
    std::string kind;
    words >> kind >> met.check;
    met.kind = kind == name(VerdictKind::kCrashed) ? VerdictKind::kCrashed
               : kind == name(VerdictKind::kHung)  ? VerdictKind::kHung
                                                   : VerdictKind::kFailed;
    std::getline(words >> std::ws, met.line);
    met_.push_back(std::move(met));
    state_.failures = static_cast<Index>(met_.size());
  }
}

// What the process wrote last: the kernel that did not open, or the call that it died in.
Status Search::explain_end(int exit_code) {
  Met met{.kind = exit_code == kTimeoutExit ? VerdictKind::kHung : VerdictKind::kCrashed,
          .check = "",
          .line = last_line_};
  std::ifstream log(scratch_.path() / "log");
  std::string not_opened;
  for (std::string line; std::getline(log, line);) {
    if (line.starts_with("ASSAY_FUZZ_KERNEL=")) { not_opened = line.substr(line.find(": ") + 2); }
    if (line.starts_with("case: ")) { met.line = line.substr(6); }
    constexpr std::string_view kCheck = " --check ";
    const std::size_t check = line.rfind(kCheck);
    if (line.starts_with("replay: ") && check != std::string::npos) {
      met.check = line.substr(check + kCheck.size());
    }
  }
  if (last_line_.empty() && !not_opened.empty()) { return make_error(not_opened); }
  if (last_line_.empty()) {
    return make_error(
        fmt::format("{} ended with exit code {} before its first case", program_, exit_code));
  }
  met_.push_back(std::move(met));
  state_.failures = static_cast<Index>(met_.size());
  return {};
}

Status Search::run_once() {
  auto process = FuzzProcess::start(program_, kernel_, words(), (scratch_.path() / "log").string());
  ASSAY_TRY(process);
  last_line_.clear();
  constexpr double kLookEverySeconds = 0.2;
  double next_look = 0;
  while (!(*process)->ended() && !is_over()) {
    if (const auto line = (*process)->next_line(kLookEverySeconds)) { take(*line); }
    state_.seconds = elapsed();
    if (state_.seconds < next_look) { continue; }
    next_look = state_.seconds + kLookEverySeconds;
    if (options_.progress) { options_.progress(state_); }
  }
  while (const auto line = (*process)->next_line(0)) { take(*line); }
  runs_before_ = state_.runs;
  if (!(*process)->ended()) {
    return {};  // killed where it stands
  }
  const int exit_code = (*process)->exit_code();
  return exit_code == 0 ? Status{} : explain_end(exit_code);
}

Status Search::run() {
  std::error_code error;
  if (scratch_.path().empty()) { return make_error("no temporary folder can be made"); }
  fs::create_directories(corpus(), error);
  if (error || access(corpus().c_str(), W_OK) != 0) {
    return make_error(fmt::format("'{}' is not a folder that can be written", corpus().string()));
  }
  while (!is_over() && state_.restarts <= kMostRestarts) {
    ASSAY_TRY(run_once());
    if (!is_over()) { ++state_.restarts; }
  }
  state_.seconds = elapsed();
  return {};
}

// The failure as a check in a worker sees it; nothing where it passes there.
std::optional<Failure> confirm(const Met& met, const OpenSession& open, double deadline_seconds) {
  const auto spec = parse_case(met.line);
  const Check* check = find_check(met.check.empty() ? "exact_integers_match_bitwise" : met.check);
  if (!spec || check == nullptr) { return std::nullopt; }
  auto session = open(deadline_seconds);
  if (!session) { return std::nullopt; }
  Failure failure{
      .check = check, .job = 0, .spec = *spec, .verdict = run_check(*check, **session, *spec)};
  if (!is_finding(failure.verdict.kind)) { return std::nullopt; }
  return failure;
}

FuzzFinding unconfirmed(const std::string& kernel, const Met& met) {
  FuzzFinding found;
  found.finding.check =
      find_check(met.check.empty() ? "repeated_runs_give_the_same_bits" : met.check);
  if (const auto spec = parse_case(met.line)) {
    found.finding.original = found.finding.shrunk = *spec;
  }
  found.finding.verdict = {.kind = met.kind,
                           .reason =
                               "seen in the searching process, with its sanitizers and after "
                               "other calls; alone in a worker it passes"};
  found.finding.replay = fmt::format("{} fuzz {}", own_command(), shell_word(kernel));
  return found;
}

std::string_view filed_under(const Finding& finding) {
  const auto aspect = headline(finding.verdict.failed);
  return aspect ? name(*aspect) : finding.check->name;
}

// What is wrong and its diagnosis, or the kind of end where there was nothing to diagnose.
std::string sort_of(const FuzzFinding& found) {
  const Finding& finding = found.finding;
  return fmt::format("{} {} {} {}", filed_under(finding), name(finding.verdict.kind),
                     finding.diagnosis.hypothesis, found.confirmed);
}

std::string slug(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      result += c;
    } else if (!result.empty() && result.back() != '_') {
      result += '_';
    }
  }
  while (!result.empty() && result.back() == '_') { result.pop_back(); }
  return result;
}

}  // namespace

Result<FuzzResult> fuzz_kernel(const std::string& kernel, const OpenSession& open,
                               const FuzzOptions& options) {
  const auto program = find_fuzzer();
  ASSAY_TRY(program);
  Search search(kernel, options, *program);
  ASSAY_TRY(search.run());
  FuzzResult result{.state = search.state(), .corpus_files = search.corpus_files(), .findings = {}};
  CertifyOptions explain_options;
  explain_options.run.deadline_seconds = options.deadline_seconds;
  explain_options.shrink = options.shrink;
  std::map<std::string, std::size_t> places;
  for (const Met& met : search.met()) {
    if (static_cast<Index>(result.findings.size()) >= options.max_findings) { break; }
    const auto failure = confirm(met, open, options.deadline_seconds);
    FuzzFinding found = unconfirmed(kernel, met);
    if (failure) {
      found.confirmed = true;
      found.finding = explain(kernel, *failure, open, explain_options);
    }
    const auto [place, fresh] = places.try_emplace(sort_of(found), result.findings.size());
    if (fresh) {
      result.findings.push_back(std::move(found));
    } else {
      ++result.findings[place->second].seen;
    }
  }
  return result;
}

Result<std::string> save_regression(const std::string& folder, const std::string& kernel,
                                    const FuzzFinding& found) {
  const Finding& finding = found.finding;
  std::error_code error;
  fs::create_directories(folder, error);
  const std::string what = finding.diagnosis.hypothesis.empty()
                               ? std::string(name(finding.verdict.kind))
                               : finding.diagnosis.hypothesis;
  const std::string stem =
      slug(fmt::format("{}_{}_{}", filed_under(finding), what, fs::path(kernel).stem().string()));
  const std::string text =
      fmt::format("# kernel: {}\n# check: {}\n# {}: {}\n# diagnosis: {}\n{}\n", kernel,
                  finding.check->name, name(finding.verdict.kind), finding.verdict.reason,
                  finding.diagnosis.sentence.empty() ? "none" : finding.diagnosis.sentence,
                  short_text(finding.shrunk));
  for (int number = 1;; ++number) {
    const fs::path path =
        fs::path(folder) / (number == 1 ? stem + ".case" : fmt::format("{}_{}.case", stem, number));
    if (std::ifstream old(path); old) {
      std::ostringstream content;
      content << old.rdbuf();
      if (content.str().ends_with("\n" + short_text(finding.shrunk) + "\n")) {
        return path.string();
      }
      continue;
    }
    std::ofstream file(path);
    file << text;
    if (!file.flush()) { return make_error(fmt::format("cannot write '{}'", path.string())); }
    return path.string();
  }
}

}  // namespace assay
