// RecordLock: the right to write a run's record, held by one process at a time.
#pragma once

#include <string>
#include <utility>

#include "src/core/error.h"

namespace assay {

class RecordLock {
 public:
  RecordLock() = default;  // holds nothing
  ~RecordLock();
  RecordLock(RecordLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  RecordLock& operator=(RecordLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  // Makes the file where there is none, and changes nothing of one that is there. Errors: another
  // process holds it; a file that cannot be written.
  static Result<RecordLock> take(const std::string& path);

  int descriptor() const { return descriptor_; }  // appends; -1: holds nothing

 private:
  explicit RecordLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace assay
