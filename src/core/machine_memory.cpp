#include "src/core/machine_memory.h"

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "src/core/file.h"
#include "src/core/text.h"

namespace assay {
namespace {

constexpr Index kNoLimit = std::numeric_limits<Index>::max();
constexpr Index kKilobyte = 1024;  // as /proc counts them

std::string text_of(const std::string& file) { return read_file(file).value_or(""); }

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

// The number in the line that begins with `key`, as in "MemAvailable:  23 kB" and "oom_kill 2".
std::optional<Index> number_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const auto words = split_words(take_line(text));
    if (words.size() >= 2 && words[0] == key) { return parse_index(words[1]); }
  }
  return std::nullopt;
}

// The memory controller's folder of this process, and those above it.
struct ControlGroup {
  std::string folder;
  bool second_version = false;
};

std::vector<ControlGroup> control_groups(const SystemFolders& folders) {
  std::vector<ControlGroup> groups;
  const auto add = [&](const std::string& root, std::string path, bool second_version) {
    for (;; path.erase(path.rfind('/'))) {
      while (path.ends_with('/')) { path.pop_back(); }
      groups.push_back({root + path, second_version});
      if (path.empty()) { return; }
    }
  };
  const std::string text = text_of(folders.proc + "/self/cgroup");
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_line(rest);  // "4:memory:/path", "0::/path"
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos || line.substr(second + 1, 1) != "/") { continue; }
    const std::string path(line.substr(second + 1));
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty()) {
      add(folders.cgroups, path, true);
      add(folders.cgroups + "/unified", path, true);
    } else if (std::ranges::count(split_outside_parentheses(controllers, ','), "memory") > 0) {
      add(folders.cgroups + "/memory", path, false);
    }
  }
  return groups;
}

// Pages of files can be had back, as in the system's own MemAvailable.
Index reclaimable(const ControlGroup& group) {
  const std::string text = text_of(group.folder + "/memory.stat");
  Index bytes = 0;
  const auto keys =
      group.second_version
          ? std::vector<std::string_view>{"inactive_file", "active_file", "slab_reclaimable"}
          : std::vector<std::string_view>{"total_inactive_file", "total_active_file"};
  for (const std::string_view key : keys) { bytes += number_of(text, key).value_or(0); }
  return bytes;
}

Index left_in(const ControlGroup& group) {
  Index limit = kNoLimit;
  const auto names = group.second_version
                         ? std::vector<std::string_view>{"memory.max", "memory.high"}
                         : std::vector<std::string_view>{"memory.limit_in_bytes"};
  for (const std::string_view name : names) {
    const std::string text = text_of(group.folder + "/" + std::string(name));
    limit = std::min(limit, parse_index(trim(text)).value_or(kNoLimit));
  }
  if (limit == kNoLimit) { return kNoLimit; }
  const std::string usage = group.second_version ? "/memory.current" : "/memory.usage_in_bytes";
  const auto used = parse_index(trim(text_of(group.folder + usage)));
  if (!used) { return kNoLimit; }
  return std::max<Index>(0, limit - std::max<Index>(0, *used - reclaimable(group)));
}

Index free_memory(const SystemFolders& folders) {
  const std::string text = text_of(folders.proc + "/meminfo");
  const auto kilobytes = number_of(text, "MemAvailable:");
  const Index free = kilobytes ? *kilobytes * kKilobyte : kNoLimit;
  // Where the system promises no more than it has, pages of a file in memory count as promised.
  constexpr std::string_view kNeverOvercommits = "2";
  const std::string overcommits = text_of(folders.proc + "/sys/vm/overcommit_memory");
  if (trim(overcommits) != kNeverOvercommits) { return free; }
  const auto limit = number_of(text, "CommitLimit:"), promised = number_of(text, "Committed_AS:");
  if (!limit || !promised) { return free; }
  return std::min(free, std::max<Index>(0, *limit - *promised) * kKilobyte);
}

Index left_of_address_space(const SystemFolders& folders) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) { return kNoLimit; }
  const std::string text = text_of(folders.proc + "/self/statm");
  const auto words = split_words(text);
  const auto pages = words.empty() ? std::nullopt : parse_index(words[0]);
  const Index most = static_cast<Index>(std::min<rlim_t>(limit.rlim_cur, kNoLimit));
  return std::max<Index>(0, most - pages.value_or(0) * sysconf(_SC_PAGESIZE));
}

}  // namespace

Index available_memory(const SystemFolders& folders) {
  Index least = std::min(free_memory(folders), left_of_address_space(folders));
  for (const ControlGroup& group : control_groups(folders)) {
    least = std::min(least, left_in(group));
  }
  constexpr Index kKeptBack = 16;
  return least == kNoLimit ? least : least - least / kKeptBack;
}

MemoryKills memory_kills(const SystemFolders& folders) {
  for (const ControlGroup& group : control_groups(folders)) {
    const std::string file = group.second_version ? "/memory.events" : "/memory.oom_control";
    const auto count = number_of(text_of(group.folder + file), "oom_kill");
    if (count) { return {*count, "in this control group"}; }
  }
  const auto count = number_of(text_of(folders.proc + "/vmstat"), "oom_kill");
  return {count.value_or(-1), "on this machine"};
}

std::string memory_text(Index bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  auto value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 999.95 && unit < 6; ++unit) { value /= 1000; }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text;
}

}  // namespace assay
