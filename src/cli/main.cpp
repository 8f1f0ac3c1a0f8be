// assay: verification and fuzz testing of grouped-GEMM kernels. One row a subcommand.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include "src/campaign/profile.h"
#include "src/cli/command.h"
#include "src/cli/help/check_page.h"
#include "src/cli/help/topics.h"
#include "src/core/text.h"
#include "src/harness/process/worker_program.h"

namespace assay {
namespace {

constexpr Command kCommands[] = {
    {"certify", "run a profile's cases on a kernel and judge every element", run_certify},
    {"run", "run one case (replays a finding)", run_case},
    {"shrink", "shrink a case to the smallest one that still fails", run_shrink},
    {"list", "kernels, checks, generators, profiles, fills, conventions", run_list},
    {"schedule", "tiles, waves and useful rows of a routing", run_schedule},
    {"offsets", "convert and validate offset arrays", run_offsets},
    {"selftest", "run a profile on kernels with planted defects: all must be caught", run_selftest},
    {"fuzz", "coverage-guided search for cases that fail (needs a clang build)", run_fuzz},
    {"verify", "verify a certificate; runs nothing", run_verify},
    {"probe", "discover a kernel's contract and arithmetic by experiment", run_probe},
    {"import", "case lines from recorded routings and lists of shapes", run_import},
    {"report", "recorded runs as HTML, Markdown, JSON, CSV or JUnit XML", run_report},
    {"merge", "merge the shards of a run (certify --shard)", run_merge},
    {"diff", "compare two certificates or runs", run_diff},
    {"bench", "speed of the oracle and of kernels, as ratios", run_bench},
};

std::string names_of_commands() {
  std::string text;
  for (const Command& command : kCommands) { text += fmt::format("{}, ", command.name); }
  return text + "help";
}

const Command* find_command(std::string_view name) {
  const auto found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                  [&](const Command& command) { return command.name == name; });
  return found == std::end(kCommands) ? nullptr : &*found;
}

int help() {
  fmt::print("usage: assay COMMAND [OPTIONS]\n\ncommands\n");
  for (const Command& command : kCommands) {
    fmt::print("  {:<12} {}\n", command.name, command.summary);
  }
  fmt::print("  {:<12} this list; `assay help COMMAND` has the options of one\n", "help");
  fmt::print("\ntopics, for `assay help TOPIC`\n");
  for (const HelpTopic& topic : help_topics()) {
    fmt::print("  {:<12} {}\n", topic.name, topic.summary);
  }
  fmt::print("\nexit: 0 passed, 1 failed, 2 bad input, 3 incomplete\n");
  return kExitPassed;
}

const HelpTopic* find_topic(std::string_view name) {
  const auto topics = help_topics();
  const auto found = std::find_if(topics.begin(), topics.end(),
                                  [&](const HelpTopic& topic) { return topic.name == name; });
  return found == topics.end() ? nullptr : &*found;
}

std::string names_of_topics() {
  std::string text;
  for (const HelpTopic& topic : help_topics()) { text += fmt::format(", {}", topic.name); }
  return text;
}

// Help about something that is not a command: a topic, a check, or the man page.
std::optional<int> help_about(const Words& words) {
  if (words[1] == "--man" && words.size() == 2) {
    fmt::print("{}", man_page());
    return kExitPassed;
  }
  if (words[1] == "checks" && words.size() == 3 && words[2] == "--markdown") {
    fmt::print("{}", checks_markdown());
    return kExitPassed;
  }
  if (words.size() > 2) { return std::nullopt; }
  if (const HelpTopic* topic = find_topic(words[1])) {
    fmt::print("{}", topic->text());
    return kExitPassed;
  }
  if (const Check* check = every_name().check(words[1])) {
    fmt::print("{}", check_page(*check));
    return kExitPassed;
  }
  return std::nullopt;
}

int dispatch(Words words) {
  if (words.empty()) {
    fmt::print(stderr, "assay: a command is missing; allowed: {}\n", names_of_commands());
    return kExitBadInput;
  }
  const bool asks_help = words[0] == "help" || words[0] == "--help" || words[0] == "-h";
  if (asks_help && words.size() == 1) { return help(); }
  const std::string& name = asks_help ? words[1] : words[0];
  const Command* command = find_command(name);
  if (asks_help && !command) {
    if (const auto exit = help_about(words)) { return *exit; }
    fmt::print(stderr, "assay help: unknown topic {}; allowed: {}{}, or a check\n", quote(name),
               names_of_commands(), names_of_topics());
    return kExitBadInput;
  }
  if (!command) {
    fmt::print(stderr, "assay: unknown command {}; allowed: {}\n", quote(name),
               names_of_commands());
    return kExitBadInput;
  }
  if (asks_help && words.size() > 2) {
    fmt::print(stderr, "assay help: {} is one word too many\n", quote(words[2]));
    return kExitBadInput;
  }
  if (asks_help) {
    // A command may be a topic, too.
    if (const HelpTopic* topic = find_topic(name)) { fmt::print("{}\n", topic->text()); }
    return command->run({"--help"});
  }
  words.erase(words.begin());
  return command->run(words);
}

}  // namespace

std::span<const Command> all_commands() { return kCommands; }

}  // namespace assay

// OpenBLAS counts its threads when it is loaded. Where callers want different counts, release
// 0.3.26 gives wrong products now and then; all of our threads multiply alone.
static void start_with_one_blas_thread(char** words) {
  if (std::getenv("OPENBLAS_NUM_THREADS") != nullptr) { return; }
  ::setenv("OMP_NUM_THREADS", "1", 0);
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
  ::execv("/proc/self/exe", words);  // where that fails, the count is set later
}

// A profile takes an eighth of this; threads get as much as the limit says. False: it was said what
// is missing.
static bool has_stack() {
  constexpr rlim_t kNeeded = rlim_t{1} << 20, kKilobyte = 1024;
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= kNeeded) { return true; }
  std::fprintf(stderr, "assay: the stack is limited to %ju kB, %ju are needed: ulimit -s %ju\n",
               std::uintmax_t{stack.rlim_cur / kKilobyte}, std::uintmax_t{kNeeded / kKilobyte},
               std::uintmax_t{kNeeded / kKilobyte});
  return false;
}

// What nobody could read has not passed.
static int exit_when_written(int exit) {
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (written || exit == assay::kExitBadInput) {
    return exit;  // that has its line already
  }
  std::fprintf(stderr, "assay: cannot write to stdout: %s\n", std::strerror(errno));
  return exit == assay::kExitFailed ? exit : assay::kExitBadInput;
}

int main(int argc, char** argv) {
  start_with_one_blas_thread(argv);
  // A link of the worker's name to this program stands for the worker, which would be as large.
  const std::string_view called = argv[0];
  if (called.substr(called.rfind('/') + 1) == "assay-worker") {
    return assay::worker_program(argc, argv);
  }
  if (!has_stack()) { return assay::kExitBadInput; }
  ::signal(SIGXFSZ,
           SIG_IGN);  // a file at its limit (ulimit -f) is an error of the write, said there
  int exit = assay::kExitPassed;
  try {
    exit = assay::dispatch({argv + 1, argv + argc});
  } catch (const std::bad_alloc&) {
    std::fputs("assay: no memory is left on this machine\n", stderr);
    exit = assay::kExitIncomplete;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay: %s\n",
                 assay::one_line(error.what(), assay::kSentenceLength).c_str());
    exit = std::ferror(stdout) != 0 ? assay::kExitBadInput : assay::kExitIncomplete;
  }
  return exit_when_written(exit);
}
