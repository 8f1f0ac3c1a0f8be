#include "src/harness/address_space.h"

#include <bit>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace assay {
namespace {

constexpr Index kSmallestWindow = Index{1} << 30;

struct WindowPool {
  std::mutex mutex;
  std::uint64_t next = kFirstWindow;
  std::map<Index, std::vector<std::uint64_t>> returned;  // by size
};

WindowPool& pool() {
  static WindowPool windows;
  return windows;
}

}  // namespace

Result<AddressWindow> take_window(Index bytes) {
  constexpr Index kLargest = static_cast<Index>(kEndOfWindows - kFirstWindow) / 4;
  if (!(bytes <= kLargest)) {
    return refuse("an operand of " + std::to_string(bytes) + " bytes is beyond the " +
                  std::to_string(kLargest) + " that the harness maps");
  }
  const Index wanted = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(2 * bytes)));
  const Index window_bytes = wanted < kSmallestWindow ? kSmallestWindow : wanted;
  WindowPool& windows = pool();
  const std::lock_guard lock(windows.mutex);
  std::vector<std::uint64_t>& same_size = windows.returned[window_bytes];
  if (!same_size.empty()) {
    const std::uint64_t begin = same_size.back();
    same_size.pop_back();
    return AddressWindow{begin, window_bytes};
  }
  if (kEndOfWindows - windows.next < static_cast<std::uint64_t>(window_bytes)) {
    return refuse("no address space is left for an operand of " + std::to_string(bytes) + " bytes");
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
