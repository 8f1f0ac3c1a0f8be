// TileQueue: the places in the flat list of tiles that one block takes, one after another.
#pragma once

#include <cstdint>

#include "src/kernels/schedule/group_table.h"

namespace assay {

enum class TileOrder : std::int32_t {
  kStatic,    // every gridDim-th tile
  kQueue,     // the next tile, by a counter
  kTwoEnded,  // the same, but uneven experts by size, from both ends
};

struct Schedule {
  TileOrder order = TileOrder::kStatic;
  unsigned long long* claims = nullptr;  // 0 before the launch; not used by kStatic
};

// Warp: the lanes that call it together. Grid: which block they are, and the counter's addition.
template <class Warp, class Grid>
class TileQueue {
 public:
  ASSAY_HOST_DEVICE TileQueue(const Schedule& schedule, const GroupTable* table, const Grid& grid)
      : schedule_(schedule),
        table_(table),
        grid_(grid),
        two_ended_(schedule.order == TileOrder::kTwoEnded && table != nullptr),
        reversed_(two_ended_ && grid.block() % kBlocksAnEnd == kBlocksAnEnd - 1) {}

  ASSAY_HOST_DEVICE bool two_ended() const { return two_ended_; }
  ASSAY_HOST_DEVICE bool reversed() const { return reversed_; }

  // The next place of this block, the same in all lanes. Past the last tile it is -1 or no smaller
  // than the number of tiles.
  ASSAY_HOST_DEVICE std::int32_t next() {
    const std::int32_t block = grid_.block(), blocks = grid_.blocks();
    if (schedule_.order == TileOrder::kStatic) { return block + blocks * count_++; }
    if (!two_ended_ && count_++ == 0) { return block; }
    const auto claims = Warp::each([&](int lane) {
      std::int32_t claim = 0;
      if (lane == 0) { claim = two_ended_ ? claim_from_an_end() : blocks + claim_next(); }
      return claim;
    });
    return Warp::broadcast(claims, 0);
  }

 private:
  // Every fourth block serves the end of the small experts, whose tiles wait for memory, while the
  // others multiply. Measured on skewed experts: every third to every fifth are equally good.
  static constexpr int kBlocksAnEnd = 4;

  ASSAY_HOST_DEVICE std::int32_t claim_next() {
    return static_cast<std::int32_t>(Grid::add(*schedule_.claims, 1));
  }

  // Both ends' claims in one counter: together they never pass the number of tiles.
  ASSAY_HOST_DEVICE std::int32_t claim_from_an_end() {
    const unsigned long long before = Grid::add(*schedule_.claims, reversed_ ? 1ull << 32 : 1ull);
    const auto front = static_cast<std::int32_t>(before & 0xffffffffu);
    const auto back = static_cast<std::int32_t>(before >> 32);
    return front + back >= table_->tiles ? -1 : reversed_ ? back : front;
  }

  const Schedule& schedule_;
  const GroupTable* table_;
  Grid grid_;
  bool two_ended_, reversed_;
  std::int32_t count_ = 0;
};

}  // namespace assay
