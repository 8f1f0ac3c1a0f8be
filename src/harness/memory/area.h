// Area: the regions of one call's memory, in the order of assay_call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/problem/case_spec.h"

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
  kStatus,
  kXScale,
  kWScale,
  kYScale,
  kXScalePtrs,
  kWScalePtrs,
  kYScalePtrs,
  kXTensorScale,
  kWTensorScale,
  kYTensorScale,
  kBias
};
inline constexpr int kAreas = 20;
std::string_view name(Area area);
constexpr std::size_t at(Area area) {
  return static_cast<std::size_t>(area);
}  // its place in arrays

constexpr Area area_of(Role role) {
  return role == Role::kX ? Area::kX : role == Role::kW ? Area::kW : Area::kY;
}
constexpr Area pointers_of(Role role) {
  return role == Role::kX ? Area::kXPtrs : role == Role::kW ? Area::kWPtrs : Area::kYPtrs;
}
constexpr Area scales_of(Role role) {
  return role == Role::kX ? Area::kXScale : role == Role::kW ? Area::kWScale : Area::kYScale;
}
constexpr Area scale_pointers_of(Role role) {
  return role == Role::kX   ? Area::kXScalePtrs
         : role == Role::kW ? Area::kWScalePtrs
                            : Area::kYScalePtrs;
}

constexpr Area tensor_scale_of(Role role) {
  return role == Role::kX   ? Area::kXTensorScale
         : role == Role::kW ? Area::kWTensorScale
                            : Area::kYTensorScale;
}

}  // namespace assay
