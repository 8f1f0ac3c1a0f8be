// ExpertWalk: one warp finds the expert that owns a tile of the flat space of all experts' tiles,
// as many experts a step as it has lanes. What runs on the GPU is what the CPU kernel runs and the
// tests and fuzz targets check: only the lanes (host_lanes.h) and the source of groups differ.
#pragma once

#include <cstdint>

#include "src/kernels/schedule/group_table.h"

namespace assay {

// One expert of a walk's list.
template <class Number>
struct WalkGroup {
  Number expert, first, end;  // its rows [first, end)
  bool exists;                // false past the end of the list
};

// OffsetGroups: the list of experts from the group table, or straight from the offsets.
template <class WarpType>
class OffsetGroups {
 public:
  using Warp = WarpType;
  using Number = std::int32_t;
  using Group = WalkGroup<Number>;

  // `table` may be null: then the offsets are read. `ranked`: in the table's order, from its other
  // end when `reversed`.
  ASSAY_HOST_DEVICE OffsetGroups(const OffsetArray& offsets, const GroupTable* table, bool ranked,
                                 bool reversed)
      : offsets_(offsets), table_(table), ranked_(ranked), reversed_(reversed) {}

  ASSAY_HOST_DEVICE Number experts() const { return offsets_.experts; }
  ASSAY_HOST_DEVICE bool reversed() const { return reversed_; }

  // The groups of list places `next` + lane. `end_row`: where the rows of the place before end.
  ASSAY_HOST_DEVICE auto read(Number next, Number end_row) const {
    if (table_ != nullptr) {
      return Warp::each([&](int lane) { return group_of_table(next + lane); });
    }
    const auto entries = Warp::each([&](int lane) {
      const bool exists = next + lane < offsets_.experts;
      return OffsetEntry{exists ? offsets_.entry(next + lane) : Index{0}, exists};
    });
    const auto within = scan_terms<Warp>(offsets_, Warp::each([&](int lane) {
                                           const OffsetEntry& entry = Warp::own(entries, lane);
                                           return entry.exists ? offsets_.term(entry.value) : 0;
                                         }));
    const auto ends =
        Warp::each([&](int lane) { return offsets_.combine(end_row, Warp::own(within, lane)); });
    const auto before = Warp::before(ends);
    return Warp::each([&](int lane) {
      const Number place = next + lane;
      const OffsetEntry& entry = Warp::own(entries, lane);
      const Number first = lane == 0 ? end_row : Warp::own(before, lane);
      const Number end = Warp::own(ends, lane);
      const bool valid = !entry.exists || entry_is_valid(offsets_, place, entry.value, first, end);
      if (!valid) { report_invalid(offsets_); }
      return Group{place, first, end, entry.exists};
    });
  }

 private:
  ASSAY_HOST_DEVICE Group group_of_table(Number place) const {
    const bool exists = place < offsets_.experts;
    const Number in_list = exists ? place : offsets_.experts - 1;
    const Number seat = reversed_ ? offsets_.experts - 1 - in_list : in_list;
    const Number expert = ranked_ ? table_->order[seat] : seat;
    const Number first = table_->starts[expert];
    return {expert, first, table_->starts[expert + 1], exists};
  }

  const OffsetArray& offsets_;
  const GroupTable* table_;
  bool ranked_, reversed_;
};

template <class Groups>
class ExpertWalk {
 public:
  using Warp = typename Groups::Warp;
  using Number = typename Groups::Number;

  ASSAY_HOST_DEVICE explicit ExpertWalk(const Groups& groups) : groups_(groups) {}

  // Moves to the expert of tile `flat`; false when there is none. All lanes call it with the same
  // values. tiles_of(rows): tiles of an expert with so many rows, none included. Requires: flat is
  // not below that of the call before.
  template <class TilesOf>
  ASSAY_HOST_DEVICE bool seek(Number flat, TilesOf tiles_of) {
    while (flat >= end_tile_) {
      if (next_ >= groups_.experts()) { return false; }
      if (!step(flat, tiles_of) && next_ >= groups_.experts()) { return false; }
    }
    return true;
  }

  ASSAY_HOST_DEVICE Number expert() const { return expert_; }
  ASSAY_HOST_DEVICE Number first_row() const { return first_row_; }
  ASSAY_HOST_DEVICE Number rows() const { return end_row_ - first_row_; }
  ASSAY_HOST_DEVICE Number tiles() const { return end_tile_ - first_tile_; }
  // The tile within its expert; counted from the expert's last tile when reversed.
  ASSAY_HOST_DEVICE Number local(Number flat) const {
    return groups_.reversed() ? end_tile_ - 1 - flat : flat - first_tile_;
  }

 private:
  // Moves over as many experts as there are lanes, to the one that owns `flat` or past all of them.
  template <class TilesOf>
  ASSAY_HOST_DEVICE bool step(Number flat, TilesOf tiles_of) {
    const auto groups = groups_.read(next_, end_row_);
    const auto own = Warp::each([&](int lane) {
      const auto& group = Warp::own(groups, lane);
      return group.exists ? static_cast<Number>(tiles_of(group.end - group.first)) : Number{0};
    });
    const auto sums = Warp::scan(own, [](Number before, Number tiles) { return before + tiles; });
    const unsigned owners = Warp::ballot(
        Warp::each([&](int lane) { return end_tile_ + Warp::own(sums, lane) > flat; }));
    const int owner = owners != 0 ? lowest_bit(owners) : Warp::kWarpLanes - 1;
    end_tile_ += Warp::broadcast(sums, owner);
    first_tile_ = end_tile_ - Warp::broadcast(own, owner);
    const auto experts = Warp::each([&](int lane) { return Warp::own(groups, lane).expert; });
    expert_ = Warp::broadcast(experts, owner);
    const auto firsts = Warp::each([&](int lane) { return Warp::own(groups, lane).first; });
    first_row_ = Warp::broadcast(firsts, owner);
    const auto ends = Warp::each([&](int lane) { return Warp::own(groups, lane).end; });
    end_row_ = Warp::broadcast(ends, owner);
    next_ += owner + 1;
    return owners != 0;
  }

  ASSAY_HOST_DEVICE static int lowest_bit(unsigned bits) {
#if defined(__CUDA_ARCH__)
    return __ffs(static_cast<int>(bits)) - 1;
#else
    return __builtin_ctz(bits);
#endif
  }

  Groups groups_;
  Number next_ = 0;  // place in the list after the current expert
  Number first_tile_ = 0, end_tile_ = 0;
  Number expert_ = 0, first_row_ = 0, end_row_ = 0;
};

}  // namespace assay
