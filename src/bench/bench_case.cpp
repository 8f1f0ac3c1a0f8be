#include "src/bench/bench_case.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "src/core/file.h"
#include "src/core/text.h"
#include "src/problem/recorded.h"

namespace assay {
namespace {

constexpr Index kMostRows = Index{1} << 30;     // of a case
constexpr Index kLargestSize = Index{1} << 20;  // k and n
constexpr std::size_t kFirstRows = 3;           // the column of expert 0

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  while (true) {
    const std::size_t comma = std::min(line.find(','), line.size());
    columns.push_back(trim(line.substr(0, comma)));
    if (comma == line.size()) { return columns; }
    line.remove_prefix(comma + 1);
  }
}

Result<Index> number(std::string_view word, const char* what, Index least, Index most) {
  const std::optional<Index> value = parse_index(word);
  if (value && *value >= least && *value <= most) { return *value; }
  return make_error(fmt::format("{} is not a valid {}; expected a whole number from {} to {}",
                                quote(word), what, least, most));
}

Result<BenchCase> parse_line(std::string_view line) {
  const std::vector<std::string_view> columns = columns_of(line);
  if (columns.size() <= kFirstRows || columns[0].empty()) {
    return make_error(fmt::format("{}: expected name,k,n,rows of expert 0,1,...", quote(line)));
  }
  BenchCase read;
  read.name = columns[0];
  const auto k = number(columns[1], "k", 1, kLargestSize);
  ASSAY_TRY(k);
  const auto n = number(columns[2], "n", 1, kLargestSize);
  ASSAY_TRY(n);
  read.k = *k;
  read.n = *n;
  Index left = kMostRows;
  for (std::size_t i = kFirstRows; i < columns.size(); ++i) {
    const auto rows = number(columns[i], "number of rows", 0, left);
    ASSAY_TRY(rows);
    left -= *rows;
    read.rows.push_back(*rows);
  }
  if (left == kMostRows) { return make_error(fmt::format("case '{}' has no rows", read.name)); }
  return read;
}

}  // namespace

Index BenchCase::total() const { return std::accumulate(rows.begin(), rows.end(), Index{0}); }
Index BenchCase::largest() const { return *std::max_element(rows.begin(), rows.end()); }
Index BenchCase::empty() const { return std::count(rows.begin(), rows.end(), Index{0}); }

double BenchCase::least_bytes(Pass pass, Index element_bytes) const {
  const Index matrices = reduces_rows(pass) ? experts() : experts() - empty();
  return static_cast<double>(element_bytes) *
         static_cast<double>(total() * (k + n) + matrices * k * n);
}

Result<std::vector<BenchCase>> parse_bench_cases(const std::string& text, const std::string& file) {
  std::vector<BenchCase> cases;
  std::istringstream lines(text);
  Index number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (trim(line).empty() || line.front() == '#') { continue; }
    auto read = parse_line(line);
    if (!read) {
      return make_error(fmt::format("{} line {}: {}", file, number, read.error().message));
    }
    const bool repeated = std::any_of(cases.begin(), cases.end(),
                                      [&](const BenchCase& c) { return c.name == read->name; });
    if (repeated) {
      return make_error(fmt::format("{} line {}: '{}' is repeated", file, number, read->name));
    }
    cases.push_back(std::move(*read));
  }
  if (cases.empty()) { return make_error(fmt::format("{} holds no case", file)); }
  return cases;
}

Result<std::vector<BenchCase>> read_bench_cases(const std::string& path) {
  const auto text = read_file(path);
  ASSAY_TRY(text);
  return parse_bench_cases(*text, path);
}

std::string bench_cases_path() { return corpus_folder() + "/bench/cases.csv"; }

std::vector<Index> spread_evenly(const std::vector<Index>& rows) {
  const Index total = std::accumulate(rows.begin(), rows.end(), Index{0});
  const auto experts = static_cast<Index>(rows.size());
  std::vector<Index> even;
  for (Index expert = 0; expert < experts; ++expert) {
    even.push_back(total / experts + (expert < total % experts ? 1 : 0));
  }
  return even;
}

std::string uniform_name(const std::string& name) { return name + ", uniform"; }

BenchCase uniform_partner(const BenchCase& recorded) {
  return {uniform_name(recorded.name), recorded.k, recorded.n, spread_evenly(recorded.rows)};
}

}  // namespace assay
