// The GPU kernels' schedule on the CPU: the same code over lanes that run in lock step.
#include "fuzz/block_schedule.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "src/kernels/schedule/group_reader.h"

namespace assay {
namespace {

constexpr Index kRows = 3000;

struct DrawnOffsets {
  std::vector<std::int64_t> entries;
  std::int32_t convention = ASSAY_OFFSETS_ENDS;
  std::int32_t status = 0;

  GroupArrays arrays() const {
    GroupArrays arrays;
    arrays.convention = convention;
    const auto length = static_cast<Index>(entries.size());
    arrays.experts = convention == ASSAY_OFFSETS_INDPTR ? length - 1 : length;
    arrays.rows = kRows;
    arrays.offsets = {entries.data(), length, true};
    return arrays;
  }
  OffsetArray array() { return offset_array_of(arrays(), &status); }
};

std::int32_t drawn_convention() {
  return *rc::gen::element<std::int32_t>(ASSAY_OFFSETS_ENDS, ASSAY_OFFSETS_INDPTR,
                                         ASSAY_OFFSETS_COUNTS);
}

DrawnOffsets drawn_garbage() {
  return {*rc::gen::suchThat(
              rc::gen::container<std::vector<std::int64_t>>(rc::gen::oneOf(
                  rc::gen::inRange<std::int64_t>(-3, kRows + 4),
                  rc::gen::inRange<std::int64_t>(0, 40), rc::gen::arbitrary<std::int64_t>())),
              [](const auto& entries) { return entries.size() >= 2; }),
          drawn_convention()};
}

// Counts that fit the rows; some experts are empty, a few have most of the rows.
std::vector<std::int64_t> drawn_counts() {
  const int experts = *rc::gen::inRange(1, 300);
  const auto hot = *rc::gen::inRange(0, experts);
  std::vector<std::int64_t> counts;
  std::int64_t left = kRows;
  for (int expert = 0; expert < experts; ++expert) {
    const std::int64_t most = std::min<std::int64_t>(left, expert == hot ? 900 : 9);
    counts.push_back(*rc::gen::inRange<std::int64_t>(0, most + 1));
    left -= counts.back();
  }
  return counts;
}

DrawnOffsets encoded(const std::vector<std::int64_t>& counts, std::int32_t convention) {
  DrawnOffsets offsets{counts, convention};
  if (convention == ASSAY_OFFSETS_COUNTS) { return offsets; }
  std::partial_sum(counts.begin(), counts.end(), offsets.entries.begin());
  if (convention == ASSAY_OFFSETS_INDPTR) { offsets.entries.insert(offsets.entries.begin(), 0); }
  return offsets;
}

std::vector<RowGroup> groups_of(const GroupArrays& arrays) {
  GroupReader reader(arrays);
  std::vector<RowGroup> groups;
  for (Index expert = 0; expert < arrays.experts; ++expert) { groups.push_back(reader.next()); }
  return groups;
}

// A walk that stops at every expert with rows.
template <int kLanes>
void expect_walk_finds(const OffsetArray& offsets, const GroupTable* table,
                       const std::vector<RowGroup>& groups) {
  using Groups = OffsetGroups<HostLanes<kLanes>>;
  ExpertWalk<Groups> walk(Groups(offsets, table, false, false));
  const auto one_if_any = [](std::int32_t rows) { return rows > 0 ? 1 : 0; };
  std::int32_t flat = 0;
  for (std::size_t expert = 0; expert < groups.size(); ++expert) {
    if (groups[expert].count == 0) { continue; }
    RC_ASSERT(walk.seek(flat++, one_if_any));
    RC_ASSERT(walk.expert() == static_cast<std::int32_t>(expert));
    RC_ASSERT(walk.first_row() == groups[expert].start);
    RC_ASSERT(walk.rows() == groups[expert].count);
    RC_ASSERT(walk.local(flat - 1) == 0);
  }
  RC_ASSERT(!walk.seek(flat, one_if_any));
}

RC_GTEST_PROP(ExpertWalk, FindsWhatTheReaderOfAllConventionsFindsInGarbageToo, ()) {
  DrawnOffsets drawn = drawn_garbage();
  const std::vector<RowGroup> groups = groups_of(drawn.arrays());
  const OffsetArray offsets = drawn.array();
  expect_walk_finds<1>(offsets, nullptr, groups);
  expect_walk_finds<4>(offsets, nullptr, groups);
  expect_walk_finds<32>(offsets, nullptr, groups);
  const bool valid =
      std::all_of(groups.begin(), groups.end(), [](const RowGroup& group) { return group.valid; });
  RC_ASSERT(drawn.status == (valid ? 0 : 1));
}

RC_GTEST_PROP(GroupTable, HoldsWhatTheReaderFindsInGarbageToo, ()) {
  DrawnOffsets drawn = drawn_garbage();
  const std::vector<RowGroup> groups = groups_of(drawn.arrays());
  const OffsetArray offsets = drawn.array();
  RC_PRE(offsets.experts <= kTableExperts);
  GroupTable table;
  read_groups<HostLanes<384>>(offsets, table);
  bool valid = true;
  for (std::size_t expert = 0; expert < groups.size(); ++expert) {
    const int number = static_cast<int>(expert);
    RC_ASSERT(table.starts[expert] == groups[expert].start);
    RC_ASSERT(table.rows_of(number) == groups[expert].count);
    valid = valid && groups[expert].valid;
  }
  RC_ASSERT(drawn.status == (valid ? 0 : 1));
  expect_walk_finds<32>(offsets, &table, groups);
  RC_ASSERT(end_of_experts<HostLanes<32>>(offsets) == groups.back().start + groups.back().count);
}

RC_GTEST_PROP(GroupTable, RanksUnevenExpertsByTheirRows, ()) {
  const std::vector<std::int64_t> counts = drawn_counts();
  DrawnOffsets drawn = encoded(counts, drawn_convention());
  const OffsetArray offsets = drawn.array();
  RC_PRE(offsets.experts <= kTableExperts);
  GroupTable table;
  read_groups<HostLanes<384>>(offsets, table);
  rank_uneven_groups<HostLanes<384>>(offsets, table, [](std::int32_t rows) { return rows; });
  const std::int64_t most = *std::max_element(counts.begin(), counts.end());
  const bool uneven = std::any_of(counts.begin(), counts.end(), [&](std::int64_t count) {
    return count > 0 && count < most / 2;
  });
  RC_ASSERT(table.is_ranked() == uneven);
  if (!uneven) { return; }
  RC_ASSERT(table.tiles == std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  std::vector<int> seen(counts.size());
  for (std::size_t place = 0; place < counts.size(); ++place) {
    ++seen.at(table.order[place]);
    if (place > 0) { RC_ASSERT(counts[table.order[place - 1]] >= counts[table.order[place]]); }
  }
  for (const int times : seen) { RC_ASSERT(times == 1); }
}

RC_GTEST_PROP(EmptyExperts, AreFoundWithAndWithoutATable, ()) {
  DrawnOffsets drawn = encoded(drawn_counts(), drawn_convention());
  const OffsetArray offsets = drawn.array();
  const std::vector<RowGroup> groups = groups_of(drawn.arrays());
  GroupTable table;
  const bool fits = offsets.experts <= kTableExperts;
  if (fits) { read_groups<HostLanes<384>>(offsets, table); }
  std::int32_t end = 0, unused = 0;
  for (std::int32_t first = 0; first < offsets.experts; first += 32) {
    unsigned expected = 0;
    for (std::int32_t i = 0; i < 32 && first + i < offsets.experts; ++i) {
      const bool empty = groups[first + i].count == 0;
      expected |= unsigned{empty} << i;
    }
    RC_ASSERT(empty_experts<HostLanes<32>>(offsets, nullptr, first, end) == expected);
    if (fits) {
      RC_ASSERT(empty_experts<HostLanes<32>>(offsets, &table, first, unused) == expected);
    }
  }
}

// Every output element of every expert, marked by all blocks together.
template <class Tiles>
void expect_each_element_once(const OffsetArray& offsets, const std::vector<RowGroup>& groups,
                              const BlockGrid& grid, const Tiles& tiles, std::int32_t cols,
                              std::int32_t tile_cols) {
  std::vector<int> marks(static_cast<std::size_t>(kRows * cols));
  for (const BlockTile& found : run_blocks(offsets, grid, tiles)) {
    const RowGroup& group = groups.at(static_cast<std::size_t>(found.expert));
    RC_ASSERT(found.first_row == group.start && found.rows == group.count);
    const RowTile& rows = found.tile.rows;
    RC_ASSERT(rows.live > 0 && rows.live <= rows.height && rows.first + rows.live <= found.rows);
    RC_ASSERT(found.tile.col >= 0 && found.tile.col < cols);
    for (std::int32_t row = 0; row < rows.live; ++row) {
      const Index at = (found.first_row + rows.first + row) * cols;
      for (std::int32_t col = found.tile.col; col < std::min(cols, found.tile.col + tile_cols);
           ++col) {
        ++marks.at(static_cast<std::size_t>(at + col));
      }
    }
  }
  Index owned = 0;
  for (const RowGroup& group : groups) {
    owned += group.count;
    for (Index at = group.start * cols; at < (group.start + group.count) * cols; ++at) {
      RC_ASSERT(marks[at] == 1);
    }
  }
  RC_ASSERT(std::accumulate(marks.begin(), marks.end(), Index{0}) == owned * cols);
}

BlockGrid drawn_grid() {
  return {*rc::gen::element(TileOrder::kStatic, TileOrder::kQueue, TileOrder::kTwoEnded),
          *rc::gen::inRange<std::int32_t>(1, 12), *rc::gen::arbitrary<bool>(),
          *rc::gen::arbitrary<std::uint64_t>()};
}

RC_GTEST_PROP(BlockSchedule, CoversEveryOutputOnceInAnyOrderWithAnyBlocks, ()) {
  DrawnOffsets drawn = encoded(drawn_counts(), drawn_convention());
  const OffsetArray offsets = drawn.array();
  const std::vector<RowGroup> groups = groups_of(drawn.arrays());
  const auto cols = *rc::gen::inRange<std::int32_t>(1, 20);
  const BlockGrid grid = drawn_grid();
  expect_each_element_once(offsets, groups, grid, EvenTiles<64, 8, 4>(cols), cols, 8);
  expect_each_element_once(offsets, groups, grid, FixedTiles<128, 4>(cols, 16), cols, 4);
}

RC_GTEST_PROP(BlockSchedule, CoversTheClampedGroupsOfGarbageOnce, ()) {
  DrawnOffsets drawn = drawn_garbage();
  const OffsetArray offsets = drawn.array();
  const std::vector<RowGroup> groups = groups_of(drawn.arrays());
  expect_each_element_once(offsets, groups, drawn_grid(), EvenTiles<256, 8, 8>(9), 9, 8);
}

}  // namespace
}  // namespace assay
