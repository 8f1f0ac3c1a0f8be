// Area: the regions of one call's memory, in the order of assay_call.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay {

enum class Area : std::uint8_t {
  kX,
  kW,
  kY,
  kOffsets,
  kSizes,
  kXPtrs,
  kWPtrs,
  kYPtrs,
  kWorkspace,
  kStatus
};
inline constexpr int kAreas = 10;
std::string_view name(Area area);

}  // namespace assay
