// The processes of this machine, as /proc lists them.
#pragma once

#include <functional>
#include <string_view>
#include <sys/types.h>

namespace assay {

struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  bool ended = false;       // and not waited for
  std::string_view name{};  // until the visit returns
};
void for_each_process(const std::function<void(const ProcessEntry&)>& visit);

}  // namespace assay
