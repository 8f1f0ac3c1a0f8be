// Loads of experts: every row of numbers is a routing.
#include <fmt/format.h>

#include "src/import/number_tables.h"
#include "src/problem/limits.h"

namespace assay {

bool fits_loads(const ImportSource& source) { return read_number_tables(source).has_value(); }

Result<ReadForm> read_loads(const ImportSource& source, const ImportOptions&) {
  auto tables = read_number_tables(source);
  ASSAY_TRY(tables);
  ReadForm read{.routings = {}, .notes = std::move(tables->notes)};
  for (NumberBlock& block : tables->blocks) {
    for (NumberRow& row : block.rows) {
      const std::string where = row.where.empty() ? "the whole" : row.where;
      Index total = 0;
      for (std::size_t expert = 0; expert < row.values.size(); ++expert) {
        const Index count = row.values[expert];
        if (count < 0 || count > kMaxRows - total) {
          return source.refuse(0, fmt::format("{}: '{}' of expert {} is not a count, or makes more "
                                              "than {} rows; ids are read with --as ids",
                                              where, count, expert, kMaxRows));
        }
        total += count;
      }
      read.routings.push_back(
          {.rows = std::move(row.values), .where = where, .k = block.k, .n = block.n});
    }
  }
  return read;
}

}  // namespace assay
