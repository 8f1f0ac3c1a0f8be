// DeepGEMM's lists of shapes, as its tests write them: tuples (groups, m, n, k), tuples (m, n, k)
// of
// --experts groups, and pairs (groups, m) crossed with pairs (n, k). k-grouped ones are gradients
// of the weights, whose last number counts rows. Source: tests/generators.py of DeepGEMM.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "src/core/csv.h"
#include "src/core/text.h"
#include "src/import/form.h"
#include "src/problem/limits.h"

namespace assay {
namespace {

struct Tuple {
  std::vector<Index> numbers{};
  std::size_t at = 0;
};

// The innermost brackets that hold numbers alone, two to four of them.
std::vector<Tuple> tuples_of(std::string_view line) {
  std::vector<Tuple> tuples;
  for (std::size_t at = line.find_first_of("(["); at != std::string_view::npos;
       at = line.find_first_of("([", at + 1)) {
    const std::size_t end = line.find_first_of("()[]", at + 1);
    if (end == std::string_view::npos || line[end] == '(' || line[end] == '[') { continue; }
    Tuple tuple{{}, at};
    for (const CsvField& field : csv_fields(line.substr(at + 1, end - at - 1))) {
      const auto number = parse_index(field.text);
      if (!number && field.text.empty() && !tuple.numbers.empty()) { continue; }
      tuple.numbers.push_back(number.value_or(-1));
    }
    const bool numbers = std::ranges::all_of(tuple.numbers, [](Index n) { return n >= 0; });
    if (numbers && tuple.numbers.size() >= 2 && tuple.numbers.size() <= 4) {
      tuples.push_back(std::move(tuple));
    }
  }
  return tuples;
}

std::string_view without_python_comment(std::string_view line) {
  return line.substr(0, line.find('#'));
}

class DeepgemmFile {
 public:
  DeepgemmFile(const ImportSource& source, const ImportOptions& options)
      : source_(source), options_(options) {}

  Result<ReadForm> read() {
    for (std::string_view rest = source_.text; !rest.empty();) {
      ++line_;
      const std::string_view line = without_python_comment(take_line(rest));
      if (trim(line).starts_with("def ")) { ASSAY_TRY(close()); }
      if (line.find("k_grouped") != std::string_view::npos) { of_sums_ = true; }
      std::size_t seen = 0;
      for (const Tuple& tuple : tuples_of(line)) {
        name_list(line.substr(seen, tuple.at - seen));
        seen = tuple.at;
        ASSAY_TRY(take(tuple.numbers));
      }
      name_list(line.substr(seen));
    }
    ASSAY_TRY(close());
    if (!read_.routings.empty()) {
      read_.notes.emplace_back("each group has the rows that the tuple says; DeepGEMM draws them");
    }
    return std::move(read_);
  }

 private:
  // What pairs mean is said by the list's name, on their line or before.
  void name_list(std::string_view text) {
    const std::string plain = plain_word(text);
    if (plain.find("nklist") != std::string::npos || plain.find("fornkin") != std::string::npos) {
      pairs_are_groups_ = false;
      pairs_are_named_ = true;
    } else if (plain.find("grouplist") != std::string::npos ||
               plain.find("numgroups") != std::string::npos) {
      pairs_are_groups_ = true;
      pairs_are_named_ = true;
    }
  }

  Status take(const std::vector<Index>& numbers) {
    if (numbers.size() == 4) { return add(numbers[0], numbers[1], numbers[2], numbers[3]); }
    if (numbers.size() == 3) {
      if (options_.experts == 0) {
        return source_.refuse(line_, fmt::format("({}, {}, {}) does not say the number of groups: "
                                                 "give --experts N",
                                                 numbers[0], numbers[1], numbers[2]));
      }
      return add(options_.experts, numbers[0], numbers[1], numbers[2]);
    }
    if (!pairs_are_named_) { return {}; }
    (pairs_are_groups_ ? groups_ : widths_).emplace_back(numbers[0], numbers[1]);
    if (groups_.size() * widths_.size() > kMostPairs) {
      return source_.refuse(line_, fmt::format("more than {} pairs", kMostPairs));
    }
    return {};
  }

  // The end of a function: its pairs are crossed.
  Status close() {
    for (const auto& [groups, m] : groups_) {
      for (const auto& [n, k] : widths_) { ASSAY_TRY(add(groups, m, n, k)); }
    }
    groups_.clear();
    widths_.clear();
    pairs_are_named_ = of_sums_ = false;
    return {};
  }

  Status add(Index groups, Index m, Index n, Index k) {
    const Index rows = of_sums_ ? k : m;
    cells_ += groups;
    if (groups < 1 || groups > kMostImpliedCounts || cells_ > kMostImpliedCounts ||
        rows > kMaxRows / groups) {
      return source_.refuse(line_,
                            fmt::format("{} groups of {} rows: allowed are 1 to {} groups in "
                                        "all, and {} rows",
                                        groups, rows, kMostImpliedCounts, kMaxRows));
    }
    Routing routing{.rows = std::vector<Index>(static_cast<std::size_t>(groups), rows),
                    .where = fmt::format("line {}", line_),
                    .k = of_sums_ ? m : k,
                    .n = n,
                    .pass = of_sums_ ? Pass::kWgrad : Pass::kFwd};
    read_.routings.push_back(std::move(routing));
    return {};
  }

  static constexpr std::size_t kMostPairs = 10'000;

  const ImportSource& source_;
  const ImportOptions& options_;
  ReadForm read_;
  std::vector<std::pair<Index, Index>> groups_, widths_;  // (groups, m), (n, k)
  bool pairs_are_groups_ = true, pairs_are_named_ = false, of_sums_ = false;
  Index line_ = 0, cells_ = 0;
};

}  // namespace

bool fits_deepgemm(const ImportSource& source) {
  if (!source.is_plain_text()) { return false; }
  for (std::string_view rest = source.text; !rest.empty();) {
    if (!tuples_of(without_python_comment(take_line(rest))).empty()) { return true; }
  }
  return false;
}

Result<ReadForm> read_deepgemm(const ImportSource& source, const ImportOptions& options) {
  return DeepgemmFile(source, options).read();
}

}  // namespace assay
