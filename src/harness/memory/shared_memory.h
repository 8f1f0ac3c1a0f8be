// SharedMemory: one memfd a session, cut into regions that the driver and its worker map at the
// same addresses, each between pages that nobody may touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "src/core/error.h"
#include "src/core/index.h"

namespace assay {

inline constexpr Index kPageBytes = 4096;

// Where a region lies, in every process that maps it. The window around it is reserved and
// unreadable.
struct RegionPlace {
  std::uint64_t window = 0;
  Index window_bytes = 0;
  std::uint64_t address = 0;
  Index bytes = 0;
  Index file_offset = 0;

  bool in_window(std::uint64_t at) const {
    return at >= window && at - window < static_cast<std::uint64_t>(window_bytes);
  }
  friend bool operator==(const RegionPlace&, const RegionPlace&) = default;
};

// Reserves the window in this process and maps the region of `fd` into it.
// Errors: the addresses are taken, or the kernel refuses the mapping.
Status map_region(const RegionPlace& place, int fd);
void unmap_region(const RegionPlace& place);

// A region of the file `fd`, whoever has mapped it.
struct RegionFile {
  int fd = -1;
  Index offset = 0;
  Index bytes = 0;

  // The first offset in the region, at or after `from`, that has memory (holes read as zero), or
  // `bytes`; and the end of that data.
  Index next_data(Index from) const;
  Index next_hole(Index from) const;
};

class SharedMemory;

// A mapped region; gives its addresses and its pages back when it goes.
class Region {
 public:
  Region(SharedMemory& memory, const RegionPlace& place) : memory_(memory), place_(place) {}
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  const RegionPlace& place() const { return place_; }
  std::byte* data() const { return reinterpret_cast<std::byte*>(place_.address); }
  Index bytes() const { return place_.bytes; }
  // Gives all pages back: reads as zero again.
  void discard() const;
  RegionFile file() const;

 private:
  SharedMemory& memory_;
  RegionPlace place_;
};

class SharedMemory {
 public:
  static Result<std::unique_ptr<SharedMemory>> create();
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // `bytes` is rounded up to pages. Errors: beyond what the address space or the machine gives.
  Result<std::unique_ptr<Region>> make_region(Index bytes);
  int fd() const { return fd_; }
  // Regions that went since the last call: a worker still maps them.
  std::vector<RegionPlace> take_released();

 private:
  friend class Region;
  explicit SharedMemory(int fd) : fd_(fd) {}

  int fd_;
  std::vector<RegionPlace> released_;
};

}  // namespace assay
