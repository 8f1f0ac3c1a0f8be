#include "src/cli/command.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "src/core/text.h"

namespace assay {
namespace {

std::string allowed_options(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    const std::string& name =
        option->get_positional() ? option->get_name(true) : option->get_name();
    text += (text.empty() ? "" : ", ") + name;
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    text += (text.empty() ? "" : ", ") + command->get_name();
  }
  return text;
}

// The subcommand that the words reached: it knows what is allowed there.
const CLI::App& innermost(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : innermost(*parsed.front());
}

}  // namespace

int refuse_input(const CLI::App& app, const std::string& message) {
  // What a word or a file brings along must not end the line or talk to the terminal.
  constexpr std::size_t kMost = 4000;  // some list every check that is allowed
  fmt::print(stderr, "assay {}: {}\n", app.get_name(), one_line(message, kMost));
  return kExitBadInput;
}

namespace {

int refuse_unknown(const CLI::App& app) {
  const std::vector<std::string> left = app.remaining(true);
  const std::string word = left.empty() ? "" : left.front();
  return refuse_input(
      app, fmt::format("unknown {} {}; allowed: {}", word.starts_with("-") ? "option" : "word",
                       quote(word), allowed_options(innermost(app))));
}

// An unset variable of a script, mostly: taken for an option left out, a certificate would stay
// unsigned.
std::optional<std::string> option_without_word(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& word : option->results()) {
      if (word.empty() && !option->get_positional()) { return option->get_name(); }
    }
  }
  for (const CLI::App* command : app.get_subcommands()) {
    if (auto option = option_without_word(*command)) { return option; }
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> parse_words(CLI::App& app, const Words& words) {
  Words reversed(words.rbegin(), words.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    std::string text = innermost(app).help();
    const std::string usage = "Usage: ";
    if (const auto at = text.find(usage); at != std::string::npos) {
      text.insert(at + usage.size(),
                  &innermost(app) == &app ? "assay " : "assay " + app.get_name() + " ");
    }
    fmt::print("{}", text);
    return kExitPassed;
  } catch (const CLI::ExtrasError&) {
    return refuse_unknown(app);
  } catch (const CLI::RequiredError& error) {
    // A misspelt word is why what it stands for is missing.
    if (!app.remaining(true).empty()) { return refuse_unknown(app); }
    return refuse_input(
        app, fmt::format("{}; allowed: {}", error.what(), allowed_options(innermost(app))));
  } catch (const CLI::Error& error) { return refuse_input(app, error.what()); }
  if (const auto option = option_without_word(app)) {
    return refuse_input(
        app, fmt::format("{}: '' is empty: give a value, or leave the option out", *option));
  }
  return std::nullopt;
}

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  const auto check = [least, most](std::string& word) -> std::string {
    std::int64_t value = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = read.ec == std::errc{} && read.ptr == word.data() + word.size();
    if (whole && value >= least && value <= most) { return {}; }
    return fmt::format("{} is not a whole number from {} to {}", quote(word), least, most);
  };
  return CLI::Validator(check, "N");
}

CLI::Validator positive_seconds() {
  const auto check = [](std::string& word) -> std::string {
    double value = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool number = read.ec == std::errc{} && read.ptr == word.data() + word.size();
    if (number && value > 0 && std::isfinite(value)) { return {}; }
    return fmt::format("{} is not a positive number of seconds", quote(word));
  };
  return CLI::Validator(check, "SECONDS");
}

CLI::Validator one_of(std::vector<std::string> allowed) {
  const std::string text = fmt::format("{}", fmt::join(allowed, "|"));
  const auto check = [allowed](std::string& word) -> std::string {
    if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) { return {}; }
    return fmt::format("{} is unknown; allowed: {}", quote(word), fmt::join(allowed, ", "));
  };
  return CLI::Validator(check, text);
}

}  // namespace assay
