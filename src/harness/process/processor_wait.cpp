#include "src/harness/process/processor_wait.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "src/harness/process/process_table.h"

namespace assay {

ProcessorWait::ProcessorWait(pid_t parent) : parent_(parent), before_(waits()) {}

double ProcessorWait::seconds() const {
  std::uint64_t longest = 0;
  for (const auto& [thread, wait] : waits()) {
    const auto known = before_.find(thread);
    const std::uint64_t before = known == before_.end() ? 0 : known->second;
    longest = std::max(longest, wait - std::min(wait, before));
  }
  return static_cast<double>(longest) * 1e-9;
}

// schedstat: nanoseconds run, nanoseconds waited, times begun.
ProcessorWait::ByThread ProcessorWait::waits() const {
  std::vector<pid_t> processes;
  for_each_process([&](const ProcessEntry& entry) {
    if (entry.parent == parent_) { processes.push_back(entry.pid); }
  });
  ByThread waits;
  for (const pid_t process : processes) {
    std::error_code ended;
    const std::filesystem::path threads = "/proc/" + std::to_string(process) + "/task";
    for (std::filesystem::directory_iterator at(threads, ended), last; !ended && at != last;
         at.increment(ended)) {
      std::ifstream file(at->path() / "schedstat");
      std::uint64_t run = 0, waited = 0;
      if (file >> run >> waited) { waits[std::atoi(at->path().filename().c_str())] = waited; }
    }
  }
  return waits;
}

}  // namespace assay
