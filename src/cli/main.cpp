// assay: verification and fuzz testing of grouped-GEMM kernels. One row a subcommand.
#include <algorithm>
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "src/cli/command.h"

namespace assay {
namespace {

constexpr Command kCommands[] = {
    {"certify", "run a profile's cases on a kernel and judge every element", run_certify},
    {"run", "run one case (replays a finding)", run_case},
    {"shrink", "the smallest case that still fails", run_shrink},
    {"list", "kernels, checks, generators, profiles, fills, conventions", run_list},
    {"schedule", "tiles, waves and useful rows of a routing", run_schedule},
    {"offsets", "convert and validate offset arrays", run_offsets},
    {"selftest", "certify planted defects: every one must be caught", run_selftest},
    {"fuzz", "search for cases that a kernel gets wrong (needs a clang build)", run_fuzz},
    {"verify", "whether a certificate holds, without running anything", run_verify},
    {"bench", "speed of the oracle and of kernels, as ratios", run_bench},
};

std::string names_of_commands() {
  std::string text;
  for (const Command& command : kCommands) text += fmt::format("{}, ", command.name);
  return text + "help";
}

const Command* find_command(std::string_view name) {
  const auto found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                  [&](const Command& command) { return command.name == name; });
  return found == std::end(kCommands) ? nullptr : &*found;
}

int help() {
  fmt::print("usage: assay COMMAND [OPTIONS]\n\n");
  for (const Command& command : kCommands)
    fmt::print("  {:<10} {}\n", command.name, command.summary);
  fmt::print("  {:<10} this list; `assay help COMMAND` has the options of one\n", "help");
  fmt::print("\nexit: 0 passed, 1 failed, 2 bad input, 3 incomplete\n");
  return kExitPassed;
}

int dispatch(Words words) {
  if (words.empty()) {
    fmt::print(stderr, "assay: a command is missing; allowed: {}\n", names_of_commands());
    return kExitBadInput;
  }
  const bool asks_help = words[0] == "help" || words[0] == "--help" || words[0] == "-h";
  if (asks_help && words.size() == 1) return help();
  const std::string& name = asks_help ? words[1] : words[0];
  const Command* command = find_command(name);
  if (!command) {
    fmt::print(stderr, "assay: unknown command '{}'; allowed: {}\n", name, names_of_commands());
    return kExitBadInput;
  }
  if (asks_help) return command->run({"--help"});
  words.erase(words.begin());
  return command->run(words);
}

}  // namespace

std::span<const Command> all_commands() { return kCommands; }

}  // namespace assay

int main(int argc, char** argv) {
  try {
    return assay::dispatch({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay: %s\n", error.what());
    return assay::kExitIncomplete;
  }
}
