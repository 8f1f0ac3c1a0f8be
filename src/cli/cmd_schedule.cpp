// assay schedule: tiles, waves and useful rows that a routing makes of a tile shape, side by side.
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "src/bench/schedule_report.h"
#include "src/cli/command.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr Index kMostColumns = Index{1} << 31;

Result<Index> read_size(const std::string& key, const std::string& text) {
  Index value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end || value < 1 || value > kMostColumns) {
    return make_error(
        fmt::format("'{}={}': expected a whole number from 1 to {}", key, text, kMostColumns));
  }
  return value;
}

// `rows=... k=... n=...`, rows as a case has them, generators drawn with --seed.
Result<ScheduleQuestion> read_question(const Words& words, std::uint64_t seed) {
  ScheduleQuestion question;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (key == "rows") {
      auto rows = parse_rows(value, seed);
      ASSAY_TRY(rows);
      question.rows = std::move(*rows);
    } else if (key == "k" || key == "n") {
      const auto size = read_size(key, value);
      ASSAY_TRY(size);
      (key == "k" ? question.k : question.n) = *size;
    } else {
      return make_error(fmt::format("unknown word '{}'; allowed: rows=, k=, n=", word));
    }
  }
  if (question.rows.empty()) {
    return make_error("'rows=' is missing; as rows=32*64,28*400,4*784");
  }
  if (question.k == 0) { return make_error("'k=' is missing: the hidden size"); }
  if (question.n == 0) { return make_error("'n=' is missing: the width of the weights"); }
  return question;
}

// `128x256`: rows and columns of a tile.
Result<TileShape> read_tile(const std::string& text) {
  const std::size_t cross = text.find('x');
  std::optional<int> sides[2];
  for (int side = 0; side < 2 && cross != std::string::npos; ++side) {
    const char* first = text.data() + (side == 0 ? 0 : cross + 1);
    const char* last = text.data() + (side == 0 ? cross : text.size());
    int value = 0;
    const auto read = std::from_chars(first, last, value);
    if (read.ec == std::errc{} && read.ptr == last && value >= 1 && value <= 1 << 20) {
      sides[side] = value;
    }
  }
  if (!sides[0] || !sides[1]) {
    return make_error(
        fmt::format("--tile '{}' is not a tile; expected rows x columns, as 128x128", text));
  }
  return TileShape{.m = *sides[0], .n = *sides[1]};
}

}  // namespace

int run_schedule(const Words& words) {
  CLI::App app("Tiles, waves and useful rows of a routing on a persistent kernel.", "schedule");
  Words question_words;
  std::vector<std::string> tile_words;
  std::int64_t sms = 132;
  std::uint64_t seed = 0;
  app.add_option("WORDS", question_words, "rows=... k=... n=...")->required();
  app.add_option("--tile", tile_words, "rows x columns of a tile, once a column of the table")
      ->required()
      ->allow_extra_args(false);
  app.add_option("--sms", sms, "CTAs at once, one an SM")
      ->check(whole_number(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--seed", seed, "of generators in rows=")->check(whole_number(0, INT64_MAX));
  if (const auto exit = parse_words(app, words)) { return *exit; }
  auto question = read_question(question_words, seed);
  ASSAY_TRY_INPUT(app, question);
  question->sms = sms;
  std::vector<ScheduleReport> reports;
  for (const std::string& word : tile_words) {
    const auto tile = read_tile(word);
    ASSAY_TRY_INPUT(app, tile);
    reports.push_back(analyse_schedule(*question, *tile));
  }
  fmt::print("{}", schedule_table(*question, reports));
  return kExitPassed;
}

}  // namespace assay
