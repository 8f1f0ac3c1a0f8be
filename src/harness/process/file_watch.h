// FileWatch: files that calls leave in the working directory or among those of shared memory.
#pragma once

#include <set>
#include <string>
#include <time.h>
#include <utility>

#include "src/harness/process/holdings.h"

namespace assay {

class FileWatch {
 public:
  FileWatch();  // files that are older do not count
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Counts the files that were made or written since the last look, are still there, and that no
  // other process has open. The first look begins to watch, and counts none. Where the system
  // cannot watch or tell a file's age, there are none.
  void look(Holdings& holdings);

 private:
  using Name = std::pair<int, std::string>;  // watch, and the file in its folder

  void begin();
  std::set<Name> changed() const;
  bool is_young(const std::string& path) const;

  timespec born_{};
  int inotify_ = -1;
  int watches_[2] = {-1, -1};
};

}  // namespace assay
