#include "src/record/record_lock.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace assay {
namespace {

Error cannot_write(const std::string& path) {
  return {fmt::format("cannot write '{}': {}", path, std::strerror(errno))};
}

// Another process may have put a file in this one's place before it was locked.
bool is_still_there(int descriptor, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

// A record is read back: nothing comes back of a device, and a pipe would be waited for.
bool is_regular(int descriptor) {
  struct stat open {};
  return ::fstat(descriptor, &open) == 0 && S_ISREG(open.st_mode);
}

// A file system without locks: the seals of the lines still tell two runs apart.
bool knows_no_locks(int error) {
  return error == ENOLCK || error == EOPNOTSUPP || error == EINVAL || error == ENOSYS;
}

}  // namespace

RecordLock::~RecordLock() {
  if (descriptor_ >= 0) { ::close(descriptor_); }
}

Result<RecordLock> RecordLock::take(const std::string& path) {
  for (;;) {
    RecordLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (lock.descriptor_ < 0) { return tl::unexpected(cannot_write(path)); }
    if (!is_regular(lock.descriptor_)) {
      return make_error(fmt::format("cannot write '{}': not a regular file", path));
    }
    while (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) { continue; }
      if (knows_no_locks(errno)) { break; }
      if (errno != EWOULDBLOCK) { return tl::unexpected(cannot_write(path)); }
      return make_error(fmt::format(
          "another run writes '{}' now: wait for its end, or name another folder with --out",
          path));
    }
    if (is_still_there(lock.descriptor_, path)) { return lock; }
  }
}

}  // namespace assay
