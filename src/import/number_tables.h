// Number tables: the integers that JSON, CSV and .npy files hold, as blocks of rows with their
// places. Whether a row is a token's experts or the experts' loads is not said here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/import/form.h"

namespace assay {

// What a name in the file says that the numbers are.
enum class Meaning : std::uint8_t { kUnknown, kIds, kLoads };

struct NumberRow {
  std::vector<Index> values{};
  std::string where{};
};

struct NumberBlock {
  std::vector<NumberRow> rows{};
  std::string where{};
  Meaning meaning = Meaning::kUnknown;
  Index k = 0, n = 0;  // 0: not said beside it
};

struct NumberTables {
  std::vector<NumberBlock> blocks{};
  std::vector<std::string> notes{};
};

bool is_npy(std::string_view text);
Result<NumberTables> read_npy_tables(const ImportSource& source);
Result<NumberTables> read_json_tables(const ImportSource& source);
Result<NumberTables> read_csv_tables(const ImportSource& source);
// Whichever of the three the source is.
Result<NumberTables> read_number_tables(const ImportSource& source);

// Ids or loads, by names, else by the numbers: an expert comes once among a token's, loads of one
// layer add up to the same.
Meaning meaning_of(const NumberTables& tables);

// `topk_ids` and `tokens_per_expert`, plain_word of them.
Meaning meaning_of_name(const std::string& plain);
// The number of `e3`, `expert_3` or `3`; nothing for other words.
std::optional<Index> expert_number(std::string_view name);

// Loads given one expert a time, as `layer, expert, count`.
class ExpertCounts {
 public:
  // Errors: an expert that has a count already, too many counts.
  Status add(const std::string& group, Index expert, Index count);
  // A block for each group, in their order; experts that are not named have no rows.
  std::vector<NumberBlock> blocks() const;

 private:
  struct Group {
    std::string name;
    std::vector<Index> counts;  // -1: none yet
  };
  std::vector<Group> groups_;
  std::map<std::string, std::size_t> places_;  // of groups_
  Index cells_ = 0;
};

}  // namespace assay
