// FloatControl: how a thread rounds, flushes and traps; sticky exception flags are left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

struct FloatControl {
  // x86: MXCSR without its flags, and the x87 control word. AArch64: FPCR in `sse`. Elsewhere the
  // rounding mode in `sse`.
  std::uint64_t sse = 0;
  std::uint32_t x87 = 0;
  friend bool operator==(const FloatControl&, const FloatControl&) = default;
};

// Of the calling thread.
FloatControl float_control();
void set_float_control(const FloatControl& control);

// What a call changed, a clause for each kind: `left the SSE control word changed: flush-to-zero is
// on`. Empty where both are equal.
std::vector<std::string> describe_change(const FloatControl& before, const FloatControl& after);

}  // namespace assay
