// Holdings: what a worker's process holds between calls: threads, descriptors, processes, memory,
// files. Plain bytes.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace assay {

struct Holdings {
  std::int64_t threads = 0;
  std::int64_t descriptors = 0;
  std::int64_t processes = 0;       // started by the kernel, and still running
  std::int64_t ended = 0;           // started by it, ended, and never waited for
  std::int64_t heap_bytes = 0;      // allocated and not freed; 0 where the allocator does not say
  std::int64_t mapped_bytes = 0;    // writable and private
  std::int64_t resident_bytes = 0;  // of its own
  std::int64_t files = 0;           // made or written since the last count, and there to stay
  char process[32] = {};            // the name of one of the processes, "" for a copy of this one
  char file[128] = {};              // the path of one of the files
};

// All but the files, of this process. Its warden takes in what its children leave behind.
Holdings count_holdings(pid_t warden);

}  // namespace assay
