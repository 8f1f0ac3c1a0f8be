// GroupTable: the rows of every expert in shared memory, read by a whole block in one scan, and
// the experts ranked by their rows. Written once over the lanes that run it (host_lanes.h).
#pragma once

#include <cstdint>

#include "src/kernels/schedule/offset_array.h"

namespace assay {

inline constexpr int kTableExperts = 256;  // more are walked in global memory, unranked
inline constexpr int kWarpThreads = 32;

struct GroupTable {
  std::int32_t starts[kTableExperts + 1];
  std::uint8_t order[kTableExperts];  // experts by rows, most first
  std::int32_t warp_ends[kTableExperts / kWarpThreads];
  std::int32_t tiles;  // of all experts, where they are ranked
  std::int32_t most;   // rows of an expert, where they may be ranked

  ASSAY_HOST_DEVICE bool is_ranked() const { return tiles > 0; }
  ASSAY_HOST_DEVICE std::int32_t rows_of(int expert) const {
    return starts[expert + 1] - starts[expert];
  }
};
static_assert(kTableExperts <= 256, "an expert's number in the order has 8 bits");
static_assert(kTableExperts % kWarpThreads == 0);

// The entry that one lane has read.
struct OffsetEntry {
  Index value;
  bool exists;
};

template <class Lanes>
ASSAY_HOST_DEVICE auto scan_terms(const OffsetArray& offsets,
                                  const typename Lanes::template Of<std::int32_t>& terms) {
  return Lanes::scan(
      terms, [&](std::int32_t before, std::int32_t own) { return offsets.combine(before, own); });
}

ASSAY_HOST_DEVICE inline void report_invalid(const OffsetArray& offsets) {
  if (offsets.status != nullptr) { *offsets.status = 1; }
}

// Whether the entry of an expert says rows [first, end), and an indptr's leading entry 0.
ASSAY_HOST_DEVICE inline bool entry_is_valid(const OffsetArray& offsets, std::int32_t expert,
                                             Index entry, std::int32_t first, std::int32_t end) {
  return offsets.agrees(entry, first, end) && (expert > 0 || offsets.leading_entry_is_valid());
}

// Fills `starts` and reports invalid entries. All threads of the block call it; it ends with a
// barrier. Requires: at least kTableExperts threads, at most kTableExperts experts.
template <class Block>
ASSAY_HOST_DEVICE void read_groups(const OffsetArray& offsets, GroupTable& table) {
  static_assert(Block::kWarpLanes == kWarpThreads);
  const auto entries = Block::each([&](int expert) {
    const bool exists = expert < offsets.experts;
    return OffsetEntry{exists ? offsets.entry(expert) : Index{0}, exists};
  });
  const auto within = scan_terms<Block>(offsets, Block::each([&](int expert) {
                                          const OffsetEntry& entry = Block::own(entries, expert);
                                          return entry.exists ? offsets.term(entry.value) : 0;
                                        }));
  Block::each([&](int expert) {
    const int warp = expert / kWarpThreads, lane = expert % kWarpThreads;
    if (expert < kTableExperts && lane == kWarpThreads - 1) {
      table.warp_ends[warp] = Block::own(within, expert);
    }
    if (expert == 0) { table.tiles = 0; }
  });
  Block::sync();
  const auto before_lane = Block::before(within);
  Block::each([&](int expert) {
    if (expert >= kTableExperts) { return; }
    const int warp = expert / kWarpThreads, lane = expert % kWarpThreads;
    std::int32_t before_warp = 0;
    for (int i = 0; i < warp; ++i) {
      before_warp = offsets.combine(before_warp, table.warp_ends[i]);
    }
    const std::int32_t first =
        lane == 0 ? before_warp : offsets.combine(before_warp, Block::own(before_lane, expert));
    const std::int32_t end = offsets.combine(before_warp, Block::own(within, expert));
    table.starts[expert + 1] = end;
    if (expert == 0) { table.starts[0] = 0; }
    const OffsetEntry& entry = Block::own(entries, expert);
    const bool valid = !entry.exists || entry_is_valid(offsets, expert, entry.value, first, end);
    if (!valid && Block::is_first_block()) { report_invalid(offsets); }
  });
  Block::sync();
}

// The place of an expert in the order: how many have more rows, or as many and a smaller number.
ASSAY_HOST_DEVICE inline int rank_of(const OffsetArray& offsets, const GroupTable& table,
                                     int expert) {
  const std::int32_t rows = table.rows_of(expert);
  int rank = 0;
  std::int32_t first = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll 8
#endif
  for (int other = 0; other < offsets.experts; ++other) {
    const std::int32_t end = table.starts[other + 1], other_rows = end - first;
    rank += other_rows > rows || (other_rows == rows && other < expert) ? 1 : 0;
    first = end;
  }
  return rank;
}

// Fills `order` and `tiles` unless all experts with rows have about as many: their order would
// gain nothing. All threads of a block call it after read_groups; a barrier has to follow.
// tiles_of(rows): tiles of an expert with so many rows.
template <class Block, class TilesOf>
ASSAY_HOST_DEVICE void rank_uneven_groups(const OffsetArray& offsets, GroupTable& table,
                                          TilesOf tiles_of) {
  const auto rows =
      Block::each([&](int expert) { return expert < offsets.experts ? table.rows_of(expert) : 0; });
  Block::each([&](int expert) {
    if (expert == 0) { table.most = 0; }
  });
  Block::sync();
  Block::each([&](int expert) {
    const std::int32_t own = Block::own(rows, expert);
    if (own > 0) { Block::raise(table.most, own); }
  });
  Block::sync();
  const auto uneven = Block::each([&](int expert) {
    const std::int32_t own = Block::own(rows, expert);
    return own > 0 && own < table.most / 2;
  });
  if (!Block::any(uneven)) { return; }
  Block::each([&](int expert) {
    if (expert < offsets.experts && expert < kTableExperts) {
      table.order[rank_of(offsets, table, expert)] = static_cast<std::uint8_t>(expert);
    }
    const std::int32_t own = Block::own(rows, expert);
    if (own > 0) { Block::add(table.tiles, tiles_of(own)); }
  });
}

// Bit i: the expert at `first` + i exists and is empty. `end`: the end of the rows before, kept up
// to date where there is no table.
template <class Warp>
ASSAY_HOST_DEVICE unsigned empty_experts(const OffsetArray& offsets, const GroupTable* table,
                                         std::int32_t first, std::int32_t& end) {
  if (table != nullptr) {
    return Warp::ballot(Warp::each([&](int lane) {
      return first + lane < offsets.experts && table->rows_of(first + lane) == 0;
    }));
  }
  const auto within =
      scan_terms<Warp>(offsets, Warp::each([&](int lane) {
                         const std::int32_t expert = first + lane;
                         return expert < offsets.experts ? offsets.term(offsets.entry(expert)) : 0;
                       }));
  const auto ends =
      Warp::each([&](int lane) { return offsets.combine(end, Warp::own(within, lane)); });
  const auto before = Warp::before(ends);
  const auto empty = Warp::each([&](int lane) {
    const std::int32_t own_first = lane == 0 ? end : Warp::own(before, lane);
    return first + lane < offsets.experts && Warp::own(ends, lane) == own_first;
  });
  end = Warp::broadcast(ends, Warp::kWarpLanes - 1);
  return Warp::ballot(empty);
}

// The end of the last expert's rows. All lanes of a warp call it.
template <class Warp>
ASSAY_HOST_DEVICE std::int32_t end_of_experts(const OffsetArray& offsets) {
  std::int32_t end = 0;
  for (std::int32_t first = 0; first < offsets.experts; first += Warp::kWarpLanes) {
    const auto within = scan_terms<Warp>(
        offsets, Warp::each([&](int lane) {
          const std::int32_t expert = first + lane;
          return expert < offsets.experts ? offsets.term(offsets.entry(expert)) : 0;
        }));
    end = offsets.combine(end, Warp::broadcast(within, Warp::kWarpLanes - 1));
  }
  return end;
}

}  // namespace assay
