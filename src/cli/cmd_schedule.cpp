// assay schedule: what tile shapes make of a routing: tiles, waves, useful rows, cost of skew.
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "src/bench/schedule_report.h"
#include "src/cli/command.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr Index kLargestSize = Index{1} << 31;

std::optional<Index> read_size(std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || value < 1 || value > kLargestSize) return std::nullopt;
  return value;
}

Result<TileShape> read_tile(const std::string& text) {
  const auto cross = text.find('x');
  const auto m = read_size(std::string_view(text).substr(0, cross));
  const auto n = cross == std::string::npos ? std::nullopt
                                            : read_size(std::string_view(text).substr(cross + 1));
  if (!m || !n) {
    return refuse(
        fmt::format("--tile '{}': expected ROWSxCOLUMNS, each 1 to 2^31, as 128x128", text));
  }
  return TileShape{.m = *m, .n = *n, .k = 1};
}

// rows=, k=, n= once each, seed= for generators.
Result<ScheduleQuestion> read_question(const std::vector<std::string>& words) {
  std::map<std::string, std::string> values;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (equals == std::string::npos ||
        (key != "rows" && key != "k" && key != "n" && key != "seed")) {
      return refuse(fmt::format("'{}': expected rows=, k=, n= or seed=", word));
    }
    if (!values.emplace(key, word.substr(equals + 1)).second) {
      return refuse(fmt::format("'{}': {} is given twice", word, key));
    }
  }
  ScheduleQuestion question;
  for (const auto& [key, target] : {std::pair{"k", &question.k}, std::pair{"n", &question.n}}) {
    const auto size = values.contains(key) ? read_size(values[key]) : std::nullopt;
    if (!size) return refuse(fmt::format("'{}={}': expected 1 to 2^31", key, values[key]));
    *target = *size;
  }
  if (!values.contains("rows")) return refuse("rows= is missing: counts or a generator");
  const auto seed = values.contains("seed") ? read_size(values["seed"]) : std::optional<Index>(0);
  if (!seed) return refuse(fmt::format("'seed={}': expected 1 to 2^31", values["seed"]));
  auto rows = parse_rows(values["rows"], static_cast<std::uint64_t>(*seed));
  if (!rows) return tl::unexpected(rows.error());
  question.rows = std::move(*rows);
  return question;
}

}  // namespace

int run_schedule(const Words& words) {
  CLI::App app("What tile shapes make of a routing on a persistent kernel, one CTA an SM.",
               "schedule");
  std::vector<std::string> text, tiles = {"128x128"};
  Index sms = 132;
  app.add_option("WORD", text, "rows=... k=... n=..., as in a case; rows takes generators")
      ->required();
  app.add_option("--tile", tiles, "ROWSxCOLUMNS; repeat it to compare")->capture_default_str();
  app.add_option("--sms", sms, "SMs of the GPU")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  if (const auto exit = parse_words(app, words)) return *exit;
  auto question = read_question(text);
  if (!question) return refuse_input(app, question.error().message);
  question->sms = sms;
  std::vector<ScheduleReport> reports;
  for (const std::string& word : tiles) {
    const auto tile = read_tile(word);
    if (!tile) return refuse_input(app, tile.error().message);
    reports.push_back(analyse_schedule(*question, *tile));
  }
  fmt::print("{}", schedule_table(*question, reports));
  return kExitPassed;
}

}  // namespace assay
