#include "src/harness/memory/shared_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "src/core/require.h"
#include "src/harness/memory/address_space.h"

namespace assay {
namespace {

void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

tl::unexpected<Error> errno_error(const std::string& what) {
  return run_short(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

Status map_region(const RegionPlace& place, int fd) {
  // The whole window first: the pages around the region fault, and nothing else can land there.
  void* const reserved =
      mmap(pointer(place.window), place.window_bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (reserved == MAP_FAILED) { return errno_error("cannot reserve guarded memory"); }
  if (reserved != pointer(place.window)) {  // a kernel that takes the address as a hint
    munmap(reserved, place.window_bytes);
    return make_error("cannot reserve guarded memory: the addresses are taken");
  }
  void* const mapped = mmap(pointer(place.address), place.bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, place.file_offset);
  if (mapped == MAP_FAILED) {
    const auto error = errno_error(fmt::format("cannot map {} bytes", place.bytes));
    munmap(reserved, place.window_bytes);
    return error;
  }
  return {};
}

void unmap_region(const RegionPlace& place) { munmap(pointer(place.window), place.window_bytes); }

Region::~Region() {
  discard();
  unmap_region(place_);
  return_window({place_.window, place_.window_bytes});
  memory_.released_.push_back(place_);
}

void Region::discard() const {
  fallocate(memory_.fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, place_.file_offset,
            place_.bytes);
}

RegionFile Region::file() const { return {memory_.fd_, place_.file_offset, place_.bytes}; }

Index RegionFile::next_data(Index from) const {
  if (from >= bytes) { return bytes; }
  const off_t found = lseek(fd, offset + from, SEEK_DATA);
  if (found < 0) {
    ASSAY_REQUIRE(errno == ENXIO, errno);  // no data up to the end of the file
    return bytes;
  }
  return std::min<Index>(found - offset, bytes);
}

Index RegionFile::next_hole(Index from) const {
  const off_t found = lseek(fd, offset + from, SEEK_HOLE);
  ASSAY_REQUIRE(found >= 0, errno);
  return std::min<Index>(found - offset, bytes);
}

Result<std::unique_ptr<SharedMemory>> SharedMemory::create() {
  const int fd = memfd_create("assay-operands", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) { return errno_error("cannot create shared memory"); }
  std::unique_ptr<SharedMemory> memory(new SharedMemory(fd));
  // As large as all windows together, so that an address is its own place in the file; sparse.
  // Sealed: a kernel cannot shrink the file under the driver's feet.
  if (ftruncate(fd, static_cast<off_t>(kEndOfWindows - kFirstWindow)) != 0) {
    return errno_error(errno == EFBIG ? "cannot size shared memory (ulimit -f)"
                                      : "cannot size shared memory");
  }
  if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return errno_error("cannot seal shared memory");
  }
  return memory;
}

SharedMemory::~SharedMemory() { close(fd_); }

Result<std::unique_ptr<Region>> SharedMemory::make_region(Index bytes) {
  const Index rounded = std::max<Index>((bytes + kPageBytes - 1) / kPageBytes, 1) * kPageBytes;
  const auto window = take_window(rounded);
  ASSAY_TRY(window);
  RegionPlace place{.window = window->begin, .window_bytes = window->bytes, .bytes = rounded};
  place.address = window->begin + (window->bytes - rounded) / 2 / kPageBytes * kPageBytes;
  place.file_offset = static_cast<Index>(place.address - kFirstWindow);
  if (const Status mapped = map_region(place, fd_); !mapped) {
    return_window(*window);
    return tl::unexpected(mapped.error());
  }
  return std::make_unique<Region>(*this, place);
}

std::vector<RegionPlace> SharedMemory::take_released() { return std::exchange(released_, {}); }

}  // namespace assay
