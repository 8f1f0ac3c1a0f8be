// ProcessorWait: how long a process was ready to run while others had the processors.
#pragma once

#include <cstdint>
#include <map>
#include <sys/types.h>

namespace assay {

// Of the children of `parent`, from its making on.
class ProcessorWait {
 public:
  explicit ProcessorWait(pid_t parent);
  // Of the thread that waited longest. 0 where the system does not count it.
  double seconds() const;

 private:
  using ByThread = std::map<pid_t, std::uint64_t>;  // nanoseconds
  ByThread waits() const;

  pid_t parent_;
  ByThread before_;
};

}  // namespace assay
