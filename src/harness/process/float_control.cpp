#include "src/harness/process/float_control.h"

#include <cfenv>
#include <string_view>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <fmt/format.h>

namespace assay {
namespace {

struct Bit {
  std::uint64_t mask = 0;
  std::string_view name;
};

// "flush-to-zero is on" for each bit that changed, with commas between.
template <std::size_t count>
std::string switched(const Bit (&bits)[count], std::uint64_t before, std::uint64_t after) {
  std::string text;
  for (const Bit& bit : bits) {
    if (((before ^ after) & bit.mask) == 0) { continue; }
    text += fmt::format("{}{} is {}", text.empty() ? "" : ", ", bit.name,
                        (after & bit.mask) != 0 ? "on" : "off");
  }
  return text;
}

// The names of the bits that are set.
template <std::size_t count>
std::string names_of(const Bit (&bits)[count], std::uint64_t value) {
  std::string text;
  for (const Bit& bit : bits) {
    if ((value & bit.mask) != 0) {
      text += fmt::format("{}{}", text.empty() ? "" : ", ", bit.name);
    }
  }
  return text;
}

std::string traps(const std::string& enabled) {
  return enabled.empty() ? "left floating-point traps switched off"
                         : "left floating-point traps enabled: " + enabled;
}

#if defined(__x86_64__)

// Intel SDM volume 1, 10.2.3 (MXCSR) and 8.1.5 (x87 control word).
constexpr std::uint64_t kSseFlags = 0x3f;
constexpr std::uint64_t kSseRounding = 0x6000, kX87Rounding = 0xc00;
constexpr std::uint64_t kSseMasks = 0x1f80, kX87Masks = 0x3f, kX87Precision = 0x300;
constexpr int kSseMasksShift = 7;
constexpr Bit kSseModes[] = {{0x8000, "flush-to-zero"}, {0x40, "denormals-are-zero"}};
constexpr Bit kExceptions[] = {{1, "invalid"},  {2, "denormal"},   {4, "divide by zero"},
                               {8, "overflow"}, {16, "underflow"}, {32, "inexact"}};
constexpr std::string_view kModes[] = {"to nearest", "downward", "upward", "toward zero"};
constexpr std::string_view kPrecisions[] = {"24 bits", "a reserved width", "53 bits", "64 bits"};

void describe_bits(const FloatControl& before, const FloatControl& after,
                   std::vector<std::string>& clauses) {
  const std::uint64_t sse = before.sse ^ after.sse, x87 = before.x87 ^ after.x87;
  if (const std::string modes = switched(kSseModes, before.sse, after.sse); !modes.empty()) {
    clauses.push_back("left the SSE control word changed: " + modes);
  }
  if ((sse & kSseRounding) != 0) {
    clauses.push_back(fmt::format("left the rounding mode changed: {}",
                                  kModes[(after.sse & kSseRounding) >> 13]));
  } else if ((x87 & kX87Rounding) != 0) {
    clauses.push_back(fmt::format("left the x87 rounding mode changed: {}",
                                  kModes[(after.x87 & kX87Rounding) >> 10]));
  }
  if ((x87 & kX87Precision) != 0) {
    clauses.push_back(fmt::format("left the x87 control word changed: results are kept in {}",
                                  kPrecisions[(after.x87 & kX87Precision) >> 8]));
  }
  if ((sse & kSseMasks) != 0) {
    clauses.push_back(traps(names_of(kExceptions, ~(after.sse >> kSseMasksShift))));
  } else if ((x87 & kX87Masks) != 0) {
    clauses.push_back(traps(names_of(kExceptions, ~std::uint64_t{after.x87})));
  }
}

#elif defined(__aarch64__)

// Arm ARM, FPCR.
constexpr std::uint64_t kRounding = 0xc00000, kTraps = 0x9f00;
constexpr Bit kFpcrModes[] = {
    {1 << 24, "flush-to-zero"}, {1 << 19, "flush-to-zero of fp16"}, {1 << 25, "default NaN"}};
constexpr Bit kExceptions[] = {{1 << 8, "invalid"},   {1 << 9, "divide by zero"},
                               {1 << 10, "overflow"}, {1 << 11, "underflow"},
                               {1 << 12, "inexact"},  {1 << 15, "denormal"}};
constexpr std::string_view kModes[] = {"to nearest", "upward", "downward", "toward zero"};

void describe_bits(const FloatControl& before, const FloatControl& after,
                   std::vector<std::string>& clauses) {
  const std::uint64_t changed = before.sse ^ after.sse;
  if (const std::string modes = switched(kFpcrModes, before.sse, after.sse); !modes.empty()) {
    clauses.push_back("left the floating-point control register changed: " + modes);
  }
  if ((changed & kRounding) != 0) {
    clauses.push_back(
        fmt::format("left the rounding mode changed: {}", kModes[(after.sse & kRounding) >> 22]));
  }
  if ((changed & kTraps) != 0) { clauses.push_back(traps(names_of(kExceptions, after.sse))); }
}

#else

void describe_bits(const FloatControl&, const FloatControl&, std::vector<std::string>& clauses) {
  clauses.push_back("left the rounding mode changed");
}

#endif

}  // namespace

FloatControl float_control() {
  FloatControl control;
#if defined(__x86_64__)
  control.sse = _mm_getcsr() & ~kSseFlags;
  std::uint16_t word = 0;
  asm volatile("fnstcw %0" : "=m"(word));
  control.x87 = word;
#elif defined(__aarch64__)
  asm volatile("mrs %0, fpcr" : "=r"(control.sse));
#else
  control.sse = static_cast<std::uint64_t>(std::fegetround());
#endif
  return control;
}

void set_float_control(const FloatControl& control) {
#if defined(__x86_64__)
  const auto word = static_cast<std::uint16_t>(control.x87);
  // Without fnclex a pending exception that the call unmasked would be raised here.
  asm volatile("fnclex\n\tfldcw %0" : : "m"(word));
  _mm_setcsr(static_cast<unsigned>((_mm_getcsr() & kSseFlags) | control.sse));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(control.sse));
#else
  std::fesetround(static_cast<int>(control.sse));
#endif
}

std::vector<std::string> describe_change(const FloatControl& before, const FloatControl& after) {
  std::vector<std::string> clauses;
  if (before == after) { return clauses; }
  describe_bits(before, after, clauses);
  if (clauses.empty()) { clauses.push_back("left the floating-point control changed"); }
  return clauses;
}

}  // namespace assay
