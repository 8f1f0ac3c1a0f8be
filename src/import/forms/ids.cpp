// Expert ids of tokens, [tokens, top-k]: a routing is how often each expert comes.
#include <algorithm>

#include <fmt/format.h>

#include "src/import/number_tables.h"
#include "src/problem/limits.h"

namespace assay {
namespace {

Index largest_id(const NumberTables& tables) {
  Index largest = -1;
  for (const NumberBlock& block : tables.blocks) {
    for (const NumberRow& row : block.rows) {
      largest = std::max(largest, *std::ranges::max_element(row.values));
    }
  }
  return largest;
}

// -1, and the first id past the last: tokens that are sent to no expert.
struct Nowhere {
  Index minus_one = 0, past_the_last = 0;
};

Status count_row(const ImportSource& source, const NumberRow& row, Index experts, Routing& routing,
                 Nowhere& nowhere) {
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const Index id = row.values[i];
    if (id >= 0 && id < experts) {
      ++routing.rows[static_cast<std::size_t>(id)];
    } else if (id == -1 || id == experts) {
      ++(id == -1 ? nowhere.minus_one : nowhere.past_the_last);
    } else {
      return source.refuse(
          0, fmt::format("{}{}: '{}' is no id of {} experts; allowed are 0 to {}, and -1 or {} for "
                         "no expert",
                         row.where, row.values.size() > 1 ? fmt::format("[{}]", i) : "", id,
                         experts, experts - 1, experts));
    }
  }
  return {};
}

}  // namespace

bool fits_ids(const ImportSource& source) {
  const auto tables = read_number_tables(source);
  return tables && meaning_of(*tables) == Meaning::kIds;
}

Result<ReadForm> read_ids(const ImportSource& source, const ImportOptions& options) {
  const auto tables = read_number_tables(source);
  ASSAY_TRY(tables);
  // An id may be as large as a number can be; what is too many is refused below.
  const Index experts =
      options.experts > 0 ? options.experts : std::min(largest_id(*tables), kMaxExperts) + 1;
  if (experts < 1 || experts > kMaxExperts) {
    return source.refuse(0, fmt::format("ids of {} experts; allowed are 1 to {}: --experts N",
                                        experts, kMaxExperts));
  }
  const auto routings = static_cast<Index>(tables->blocks.size());
  if (experts > kMostImpliedCounts / routings) {
    return source.refuse(0, fmt::format("{} routings of {} experts are more than {} counts",
                                        routings, experts, kMostImpliedCounts));
  }
  ReadForm read{.routings = {}, .notes = tables->notes};
  Nowhere nowhere;
  Index tokens = 0;
  for (const NumberBlock& block : tables->blocks) {
    tokens += static_cast<Index>(block.rows.size());
    Routing routing{.rows = std::vector<Index>(static_cast<std::size_t>(experts)),
                    .where = fmt::format("{}{}", block.where, block.where.empty() ? "" : " ") +
                             counted(static_cast<Index>(block.rows.size()), "token"),
                    .k = block.k,
                    .n = block.n};
    for (const NumberRow& row : block.rows) {
      ASSAY_TRY(count_row(source, row, experts, routing, nowhere));
    }
    read.routings.push_back(std::move(routing));
  }
  read.notes.push_back(fmt::format("{}, {}{}", counted(tokens, "token"), counted(experts, "expert"),
                                   options.experts > 0 ? "" : ", as the largest id says"));
  if (nowhere.minus_one > 0) {
    read.notes.push_back(counted(nowhere.minus_one, "id") + " of -1 sent nowhere");
  }
  if (nowhere.past_the_last > 0) {
    read.notes.push_back(
        fmt::format("{} of {} sent nowhere", counted(nowhere.past_the_last, "id"), experts));
  }
  return read;
}

}  // namespace assay
