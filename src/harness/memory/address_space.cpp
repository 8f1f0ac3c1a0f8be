#include "src/harness/memory/address_space.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace assay {
namespace {

constexpr Index kWindowUnit = Index{1} << 30;

struct WindowPool {
  std::mutex mutex;
  std::uint64_t next = kFirstWindow;
  std::map<Index, std::vector<std::uint64_t>> returned;  // by size
};

WindowPool& pool() {
  // Never destroyed: a session in static storage returns its windows after that would have
  // happened.
  static WindowPool& windows = *new WindowPool;
  return windows;
}

}  // namespace

Result<AddressWindow> take_window(Index bytes) {
  constexpr Index kAll = static_cast<Index>(kEndOfWindows - kFirstWindow);
  if (!(bytes <= kAll - 2 * kWindowUnit)) {
    return make_error("an operand of " + std::to_string(bytes) + " bytes is beyond the " +
                      std::to_string(kAll) + " that the harness maps");
  }
  // Small operands have the rest of one unit around them, large ones at least half a unit each
  // side.
  const Index around = bytes <= kWindowUnit / 2 ? 0 : kWindowUnit;
  const Index window_bytes = (bytes + around + kWindowUnit - 1) / kWindowUnit * kWindowUnit;
  WindowPool& windows = pool();
  const std::lock_guard lock(windows.mutex);
  std::vector<std::uint64_t>& same_size = windows.returned[window_bytes];
  if (!same_size.empty()) {
    const std::uint64_t begin = same_size.back();
    same_size.pop_back();
    return AddressWindow{begin, window_bytes};
  }
  if (kEndOfWindows - windows.next < static_cast<std::uint64_t>(window_bytes)) {
    return make_error("no address space is left for an operand of " + std::to_string(bytes) +
                      " bytes");
  }
  const AddressWindow window{windows.next, window_bytes};
  windows.next += window_bytes;
  return window;
}

void return_window(const AddressWindow& window) {
  WindowPool& windows = pool();
  const std::lock_guard lock(windows.mutex);
  windows.returned[window.bytes].push_back(window.begin);
}

}  // namespace assay
