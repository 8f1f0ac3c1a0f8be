// ExpertWalk: one warp finds the expert that owns a tile of the flat space of all experts' tiles,
// 32 experts a step, from the group table or straight from the offsets.
#pragma once

#include <cstdint>

#include "src/kernels/cuda/group_table.cuh"

namespace assay {

class ExpertWalk {
 public:
  // `table` may be null: then the offsets are read. `ranked`: in the table's order, from its other
  // end when `reversed`.
  __device__ ExpertWalk(const OffsetArray& offsets, const GroupTable* table, bool ranked,
                        bool reversed)
      : offsets_(offsets), table_(table), ranked_(ranked), reversed_(reversed) {}

  // Moves to the expert of tile `flat`; false when there is none. All lanes call it with the same
  // values. tiles_of(rows): tiles of an expert with so many rows, none included. Requires: flat is
  // not below that of the call before.
  template <class TilesOf>
  __device__ bool seek(std::int32_t flat, TilesOf tiles_of) {
    while (flat >= end_tile_) {
      if (next_ >= offsets_.experts) { return false; }
      if (!step(flat, tiles_of) && next_ >= offsets_.experts) { return false; }
    }
    return true;
  }

  __device__ std::int32_t expert() const { return expert_; }
  __device__ std::int32_t first_row() const { return first_row_; }
  __device__ std::int32_t rows() const { return end_row_ - first_row_; }
  __device__ std::int32_t tiles() const { return end_tile_ - first_tile_; }
  // The tile within its expert; counted from the expert's last tile when reversed.
  __device__ std::int32_t local(std::int32_t flat) const {
    return reversed_ ? end_tile_ - 1 - flat : flat - first_tile_;
  }

 private:
  struct Group {
    std::int32_t expert, first, end;
    bool exists;  // false past the end of the list
  };

  // The group of list place next_ + lane.
  __device__ Group group_of_lane(int lane) {
    const std::int32_t place = next_ + lane;
    const bool exists = place < offsets_.experts;
    if (table_ != nullptr) {
      const std::int32_t in_list = exists ? place : offsets_.experts - 1;
      const std::int32_t seat = reversed_ ? offsets_.experts - 1 - in_list : in_list;
      const std::int32_t expert = ranked_ ? table_->order[seat] : seat;
      const std::int32_t first = table_->starts[expert];
      return {expert, first, table_->starts[expert + 1], exists};
    }
    const Index entry = exists ? offsets_.entry(place) : 0;
    const std::int32_t within = scan_warp(offsets_, exists ? offsets_.term(entry) : 0);
    const std::int32_t end = offsets_.combine(end_row_, within);
    const std::int32_t before = __shfl_up_sync(~0u, end, 1);
    const std::int32_t first = lane == 0 ? end_row_ : before;
    const bool valid = !exists || (offsets_.agrees(entry, first, end) &&
                                   (place > 0 || offsets_.leading_entry_is_valid()));
    if (!valid) { report_invalid(offsets_); }
    return {place, first, end, exists};
  }

  // Moves over up to 32 experts, to the one that owns `flat` or past all of them.
  template <class TilesOf>
  __device__ bool step(std::int32_t flat, TilesOf tiles_of) {
    const int lane = threadIdx.x % kWarpThreads;
    const Group group = group_of_lane(lane);
    const std::int32_t own = group.exists ? tiles_of(group.end - group.first) : 0;
    std::int32_t sum = own;
#pragma unroll
    for (int distance = 1; distance < kWarpThreads; distance *= 2) {
      const std::int32_t before = __shfl_up_sync(~0u, sum, distance);
      if (lane >= distance) { sum += before; }
    }
    const unsigned owners = __ballot_sync(~0u, end_tile_ + sum > flat);
    const int owner = owners != 0 ? __ffs(owners) - 1 : kWarpThreads - 1;
    end_tile_ += __shfl_sync(~0u, sum, owner);
    first_tile_ = end_tile_ - __shfl_sync(~0u, own, owner);
    expert_ = __shfl_sync(~0u, group.expert, owner);
    first_row_ = __shfl_sync(~0u, group.first, owner);
    end_row_ = __shfl_sync(~0u, group.end, owner);
    next_ += owner + 1;
    return owners != 0;
  }

  const OffsetArray& offsets_;
  const GroupTable* table_;
  bool ranked_, reversed_;
  std::int32_t next_ = 0;  // place in the list after the current expert
  std::int32_t first_tile_ = 0, end_tile_ = 0;
  std::int32_t expert_ = 0, first_row_ = 0, end_row_ = 0;
};

}  // namespace assay
