#include "src/import/number_tables.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "src/core/text.h"
#include "src/problem/limits.h"

namespace assay {
namespace {

// A router picks few experts of not too many.
constexpr std::size_t kMostTopK = 32;
constexpr Index kMostIds = 4096;

// What the rows of all blocks show together.
struct RowFacts {
  bool negative = false, repeats = false, uneven = false, same_sum = true;
  std::size_t rows = 0, width = 0;
  Index largest = 0;
};

void look_at(const NumberRow& row, const NumberRow& first, RowFacts& facts) {
  std::vector<Index> sorted = row.values;
  std::ranges::sort(sorted);
  facts.negative |= sorted.front() < 0;
  facts.largest = std::max(facts.largest, sorted.back());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    facts.repeats |= sorted[i] >= 0 && sorted[i] == sorted[i - 1];
  }
  facts.width = std::max(facts.width, row.values.size());
  facts.uneven |= row.values.size() != first.values.size();
  const auto sum = [](const NumberRow& of) {
    return std::accumulate(
        of.values.begin(), of.values.end(), std::uint64_t{0},
        [](std::uint64_t a, Index b) { return a + static_cast<std::uint64_t>(b); });
  };
  facts.same_sum = facts.same_sum && sum(row) == sum(first);
  ++facts.rows;
}

}  // namespace

Meaning meaning_of(const NumberTables& tables) {
  RowFacts facts;
  for (const NumberBlock& block : tables.blocks) {
    if (block.meaning != Meaning::kUnknown) { return block.meaning; }
    for (const NumberRow& row : block.rows) { look_at(row, block.rows.front(), facts); }
  }
  if (facts.negative) { return Meaning::kIds; }
  const bool possible = !facts.repeats && !facts.uneven && facts.rows > tables.blocks.size() &&
                        facts.width <= kMostTopK && facts.largest < kMostIds;
  return possible && !facts.same_sum ? Meaning::kIds : Meaning::kLoads;
}

Meaning meaning_of_name(const std::string& plain) {
  constexpr std::string_view kIds[] = {
      "topkids",         "topkindices",   "topkidx",    "expertids", "expertid", "expertindices",
      "selectedexperts", "routerindices", "routingids", "ids",       "indices"};
  constexpr std::string_view kLoads[] = {"msplits",     "tokensperexpert", "numtokensperexpert",
                                         "expertloads", "expertload",      "loads",
                                         "load",        "counts",          "expertcounts",
                                         "groupsizes",  "rowsperexpert",   "rows",
                                         "splits",      "splitsizes",      "batchsizes",
                                         "histogram",   "numtokens",       "expertsizes",
                                         "groupcounts", "tokencounts"};
  if (std::ranges::count(kIds, plain) != 0) { return Meaning::kIds; }
  return std::ranges::count(kLoads, plain) != 0 ? Meaning::kLoads : Meaning::kUnknown;
}

std::optional<Index> expert_number(std::string_view name) {
  constexpr std::string_view kStems[] = {"", "e", "ex", "exp", "expert", "expertid", "g", "group"};
  const std::string plain = plain_word(name);
  const std::size_t digits = plain.find_last_not_of("0123456789") + 1;
  if (std::ranges::count(kStems, std::string_view(plain).substr(0, digits)) == 0) {
    return std::nullopt;
  }
  return parse_index(std::string_view(plain).substr(digits));
}

Status ExpertCounts::add(const std::string& group, Index expert, Index count) {
  if (expert < 0 || expert >= kMaxExperts) {
    return make_error(fmt::format("{} is no expert from 0 to {}", expert, kMaxExperts - 1));
  }
  const auto [known, fresh] = places_.emplace(group, groups_.size());
  if (fresh) { groups_.push_back({group, {}}); }
  Group& one = groups_[known->second];
  const auto place = static_cast<std::size_t>(expert);
  if (one.counts.size() <= place) {
    cells_ += static_cast<Index>(place + 1 - one.counts.size());
    if (cells_ > kMostImpliedCounts) {
      return make_error(fmt::format("more than {} counts", kMostImpliedCounts));
    }
    one.counts.resize(place + 1, -1);
  }
  if (one.counts[place] >= 0) {
    return make_error(fmt::format("expert {} is given twice", expert));
  }
  one.counts[place] = count;
  return {};
}

std::vector<NumberBlock> ExpertCounts::blocks() const {
  std::vector<NumberBlock> blocks;
  for (const Group& group : groups_) {
    NumberRow row{group.counts, group.name};
    for (Index& count : row.values) { count = std::max<Index>(count, 0); }
    blocks.push_back({.rows = {std::move(row)}, .where = group.name, .meaning = Meaning::kLoads});
  }
  return blocks;
}

Result<NumberTables> read_number_tables(const ImportSource& source) {
  if (is_npy(source.text)) { return read_npy_tables(source); }
  if (source.json) { return read_json_tables(source); }
  if (!source.not_json.empty()) { return source.refuse(0, source.not_json); }
  return read_csv_tables(source);
}

}  // namespace assay
