// What memory the system still has for this process, and how often it has ended one for want of it.
#pragma once

#include <string>
#include <string_view>

#include "src/core/index.h"

namespace assay {

// Where the system tells of memory.
struct SystemFolders {
  std::string proc = "/proc";
  std::string cgroups = "/sys/fs/cgroup";
};

// Bytes that may be taken now: the least of what is free, what the control groups of this process
// (version 1 and 2, up the hierarchy) leave, and what RLIMIT_AS leaves, less a sixteenth, which is
// for the worker's own needs. Where the system says nothing, as many as there are.
Index available_memory(const SystemFolders& folders = {});

// Processes that the system has killed because memory was out.
struct MemoryKills {
  Index count = -1;          // -1: the system does not say
  std::string_view where{};  // "in this control group", "on this machine"
};
MemoryKills memory_kills(const SystemFolders& folders = {});

// `21.3 GB`.
std::string memory_text(Index bytes);

}  // namespace assay
