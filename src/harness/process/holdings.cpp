#include "src/harness/process/holdings.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <malloc.h>
#include <memory>
#include <string_view>
#include <sys/prctl.h>
#include <unistd.h>

#include "src/harness/process/process_table.h"

namespace assay {
namespace {

std::int64_t entries_of(const char* folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder), closedir);
  std::int64_t count = 0;
  while (open != nullptr) {
    const dirent* const entry = readdir(open.get());
    if (entry == nullptr) { break; }
    count += entry->d_name[0] != '.';
  }
  return count;
}

void count_memory(Holdings& holdings) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 heap = mallinfo2();
  holdings.heap_bytes = static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
#endif
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "re"),
                                                             std::fclose);
  long resident = 0, shared = 0, data = 0;  // pages: size resident shared text lib data dirty
  if (file == nullptr ||
      std::fscanf(file.get(), "%*d %ld %ld %*d %*d %ld", &resident, &shared, &data) != 3) {
    return;
  }
  const long page = sysconf(_SC_PAGESIZE);
  holdings.mapped_bytes = std::int64_t{data} * page;
  holdings.resident_bytes = std::int64_t{resident - shared} * page;
}

}  // namespace

Holdings count_holdings(pid_t warden) {
  Holdings holdings;
  holdings.threads = entries_of("/proc/self/task");
  holdings.descriptors = entries_of("/proc/self/fd") - 1;  // that of the look itself
  count_memory(holdings);
  const pid_t self = getpid();
  char own_name[sizeof holdings.process] = {};
  prctl(PR_GET_NAME, own_name);
  for_each_process([&](const ProcessEntry& entry) {
    if (entry.pid == self || (entry.parent != self && entry.parent != warden)) { return; }
    if (entry.ended) {
      ++holdings.ended;
      return;
    }
    ++holdings.processes;
    if (entry.name != own_name) {
      std::memset(holdings.process, 0, sizeof holdings.process);
      entry.name.copy(holdings.process, sizeof holdings.process - 1);
    }
  });
  return holdings;
}

}  // namespace assay
