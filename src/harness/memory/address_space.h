// Windows of address space that no other part of this process maps; driver and workers use the same
// ones.
#pragma once

#include <cstdint>

#include "src/core/error.h"
#include "src/core/index.h"

namespace assay {

// Below: the executable's and the allocator's usual places; above: libraries and stacks.
// AddressSanitizer counts it as application memory.
inline constexpr std::uint64_t kFirstWindow = 0x200000000000;
inline constexpr std::uint64_t kEndOfWindows = 0x500000000000;

struct AddressWindow {
  std::uint64_t begin = 0;
  Index bytes = 0;
};
// A window that leaves at least 256 MiB on each side of `bytes` in its middle: what runs past an
// operand meets nothing else.
// Errors: no window of that size is left. Any thread may call.
Result<AddressWindow> take_window(Index bytes);
void return_window(const AddressWindow& window);

}  // namespace assay
