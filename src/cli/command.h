// The assay command's subcommands, one file each, and what they share: parsing of words, exit
// codes, the one-line refusal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "src/core/error.h"
#include "src/core/index.h"

namespace assay {

enum ExitCode : int { kExitPassed = 0, kExitFailed = 1, kExitBadInput = 2, kExitIncomplete = 3 };

using Words = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Words& words);  // the words after the command's name
};
std::span<const Command> all_commands();  // main.cpp

int run_certify(const Words& words);
int run_case(const Words& words);
int run_shrink(const Words& words);
int run_list(const Words& words);
int run_schedule(const Words& words);
int run_offsets(const Words& words);
int run_selftest(const Words& words);
int run_bench(const Words& words);
int run_fuzz(const Words& words);
int run_verify(const Words& words);
int run_report(const Words& words);
int run_merge(const Words& words);
int run_diff(const Words& words);
int run_probe(const Words& words);
int run_import(const Words& words);

// Parses the words; an exit code where the command is over (help was asked for, or a word is
// refused).
std::optional<int> parse_words(CLI::App& app, const Words& words);

// One line on stderr: `assay certify: MESSAGE`. Returns kExitBadInput.
int refuse_input(const CLI::App& app, const std::string& message);

// Ends the command with the one line of a Result or Status that is an error.
#define ASSAY_TRY_INPUT(app, result)                         \
  do {                                                       \
    if (const auto& assay_tried = (result); !assay_tried) {  \
      return refuse_input(app, assay_tried.error().message); \
    }                                                        \
  } while (false)

// Checks an option's word; the message quotes it and says what is allowed.
CLI::Validator whole_number(std::int64_t least, std::int64_t most);
CLI::Validator positive_seconds();
CLI::Validator one_of(std::vector<std::string> allowed);

}  // namespace assay
