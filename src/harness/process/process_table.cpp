#include "src/harness/process/process_table.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <memory>

namespace assay {
namespace {

// `pid (name) state parent ...`, where the name may hold anything.
bool parse(char* line, ProcessEntry& entry) {
  char* const opening = std::strchr(line, '(');
  char* const closing = std::strrchr(line, ')');
  if (opening == nullptr || closing == nullptr || closing < opening) { return false; }
  char state = 0;
  int parent = 0;
  if (std::sscanf(closing + 1, " %c %d", &state, &parent) != 2) { return false; }
  entry.parent = parent;
  entry.ended = state == 'Z' || state == 'X';
  entry.name = {opening + 1, static_cast<std::size_t>(closing - opening - 1)};
  return true;
}

}  // namespace

void for_each_process(const std::function<void(const ProcessEntry&)>& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> processes(opendir("/proc"), closedir);
  while (processes != nullptr) {
    const dirent* const found = readdir(processes.get());
    if (found == nullptr) { return; }
    ProcessEntry entry{.pid = std::atoi(found->d_name)};
    if (entry.pid <= 0) { continue; }
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/stat", entry.pid);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "re"), std::fclose);
    if (file == nullptr) { continue; }
    char line[512];
    line[std::fread(line, 1, sizeof line - 1, file.get())] = '\0';
    if (parse(line, entry)) { visit(entry); }
  }
}

}  // namespace assay
