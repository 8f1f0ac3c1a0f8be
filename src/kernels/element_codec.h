// Elements of operands as floats, at addresses of any alignment: exact widening of every format,
// and narrowing to those of outputs (bf16, fp16, fp32, e4m3, e5m2) with one rounding to nearest
// even; what is beyond 8 bits, infinities too, becomes their largest number. A NaN is written as
// the format's canonical quiet NaN, so that the bits of an output do not depend on which operand of
// an instruction a NaN came from.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/core/index.h"
#include "src/problem/format.h"

namespace assay {

inline constexpr Index element_bytes(Format format) {
  return format == Format::kFp32 ? 4 : format == Format::kBf16 || format == Format::kFp16 ? 2 : 1;
}

template <class T>
T load_unaligned(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}
template <class T>
void store_unaligned(std::byte* address, T value) {
  std::memcpy(address, &value, sizeof value);
}

inline float bf16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

inline float fp16_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) {  // infinity and NaN
    return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  }
  if (magnitude < 0x400u) {  // zero and subnormals: magnitude * 2^-24 is exact
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign != 0 ? -value : value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + ((127u - 15u) << 23)));
}

inline float e4m3_to_float(std::uint8_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80u) << 24;
  const std::uint32_t magnitude = bits & 0x7fu;
  if (magnitude == 0x7fu) { return std::bit_cast<float>(sign | 0x7fc00000u); }
  if (magnitude < 0x08u) {  // zero and subnormals: magnitude * 2^-9 is exact
    const float value = static_cast<float>(magnitude) * 0x1p-9f;
    return sign != 0 ? -value : value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 20) + ((127u - 7u) << 23)));
}

// The upper half of an fp16 number.
inline float e5m2_to_float(std::uint8_t bits) {
  return fp16_to_float(static_cast<std::uint16_t>(bits << 8));
}

inline float int8_to_float(std::uint8_t bits) {
  return static_cast<float>(static_cast<std::int8_t>(bits));
}

inline std::uint16_t float_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) { return 0x7fc0u; }
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline std::uint16_t float_to_fp16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) { return 0x7e00u; }
  if (magnitude >= 0x477ff000u) {  // 65520 and more round to infinity
    return static_cast<std::uint16_t>(sign | 0x7c00u);
  }
  if (magnitude < 0x38800000u) {  // below 2^-14: adding 2^-1 rounds at the last bit of a subnormal
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
  }
  const std::uint32_t rebased = magnitude - ((127u - 15u) << 23);
  return static_cast<std::uint16_t>(sign | ((rebased + 0xfffu + ((rebased >> 13) & 1u)) >> 13));
}

// To 8 bits: `fraction` bits of the significand are kept, `least` is the exponent of the smallest
// normal number, `most` the code of the largest.
template <int fraction, int least, std::uint8_t most, std::uint8_t nan>
inline std::uint8_t float_to_code(float value) {
  constexpr int kDropped = 23 - fraction;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint8_t>((bits >> 24) & 0x80u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) { return nan; }
  constexpr std::uint32_t kBase = static_cast<std::uint32_t>(127 + least - 1) << 23;
  if (magnitude >= (static_cast<std::uint32_t>(most) << kDropped) + kBase) {
    return static_cast<std::uint8_t>(sign | most);
  }
  if (magnitude < kBase + (1u << 23)) {  // the sum rounds at the last bit of a subnormal
    constexpr float kAdded =
        std::bit_cast<float>(static_cast<std::uint32_t>(127 + least - fraction + 23) << 23);
    const auto rounded = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + kAdded);
    return static_cast<std::uint8_t>(sign | (rounded - std::bit_cast<std::uint32_t>(kAdded)));
  }
  const std::uint32_t rebased = magnitude - kBase;
  const std::uint32_t half = (1u << (kDropped - 1)) - 1 + ((rebased >> kDropped) & 1u);
  return static_cast<std::uint8_t>(sign | ((rebased + half) >> kDropped));
}
inline std::uint8_t float_to_e4m3(float value) { return float_to_code<3, -6, 0x7e, 0x7f>(value); }
inline std::uint8_t float_to_e5m2(float value) { return float_to_code<2, -14, 0x7b, 0x7e>(value); }

inline float float_to_fp32(float value) {
  return value != value ? std::bit_cast<float>(0x7fc00000u) : value;
}

// 0 .5 1 1.5 2 3 4 6, and their negatives.
inline float e2m1_to_float(std::uint32_t code) {
  const std::uint32_t magnitude = code & 7u;
  const float size = magnitude < 2 ? static_cast<float>(magnitude) * 0.5f
                                   : std::bit_cast<float>((magnitude << 22) + ((127u - 1u) << 23));
  return (code & 8u) != 0 ? -size : size;
}

// Formats with two codes a byte.
inline constexpr bool is_packed(Format format) { return format == Format::kE2m1; }

// The code in the low or the high half of a byte.
inline float e2m1_half_to_float(const std::byte* address, bool high) {
  return e2m1_to_float(std::to_integer<std::uint32_t>(*address) >> (high ? 4 : 0) & 15u);
}

inline float widen(Format format, const std::byte* address) {
  switch (format) {
    case Format::kBf16:
      return bf16_to_float(load_unaligned<std::uint16_t>(address));
    case Format::kFp16:
      return fp16_to_float(load_unaligned<std::uint16_t>(address));
    case Format::kE4m3:
      return e4m3_to_float(load_unaligned<std::uint8_t>(address));
    case Format::kE5m2:
      return e5m2_to_float(load_unaligned<std::uint8_t>(address));
    case Format::kInt8:
      return int8_to_float(load_unaligned<std::uint8_t>(address));
    default:
      return load_unaligned<float>(address);
  }
}

inline void narrow(Format format, float value, std::byte* address) {
  switch (format) {
    case Format::kBf16:
      return store_unaligned(address, float_to_bf16(value));
    case Format::kFp16:
      return store_unaligned(address, float_to_fp16(value));
    case Format::kE4m3:
      return store_unaligned(address, float_to_e4m3(value));
    case Format::kE5m2:
      return store_unaligned(address, float_to_e5m2(value));
    default:
      return store_unaligned(address, float_to_fp32(value));
  }
}

// `count` neighbouring elements.
inline void widen_run(Format format, const std::byte* from, Index count, float* to) {
  switch (format) {
    case Format::kBf16:
      for (Index i = 0; i < count; ++i) {
        to[i] = bf16_to_float(load_unaligned<std::uint16_t>(from + 2 * i));
      }
      return;
    case Format::kFp16:
      for (Index i = 0; i < count; ++i) {
        to[i] = fp16_to_float(load_unaligned<std::uint16_t>(from + 2 * i));
      }
      return;
    case Format::kE4m3:
      for (Index i = 0; i < count; ++i) {
        to[i] = e4m3_to_float(load_unaligned<std::uint8_t>(from + i));
      }
      return;
    case Format::kE5m2:
      for (Index i = 0; i < count; ++i) {
        to[i] = e5m2_to_float(load_unaligned<std::uint8_t>(from + i));
      }
      return;
    case Format::kInt8:
      for (Index i = 0; i < count; ++i) {
        to[i] = int8_to_float(load_unaligned<std::uint8_t>(from + i));
      }
      return;
    default:
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
  }
}

inline void narrow_run(Format format, const float* from, Index count, std::byte* to) {
  switch (format) {
    case Format::kBf16:
      for (Index i = 0; i < count; ++i) { store_unaligned(to + 2 * i, float_to_bf16(from[i])); }
      return;
    case Format::kFp16:
      for (Index i = 0; i < count; ++i) { store_unaligned(to + 2 * i, float_to_fp16(from[i])); }
      return;
    case Format::kE4m3:
      for (Index i = 0; i < count; ++i) { store_unaligned(to + i, float_to_e4m3(from[i])); }
      return;
    case Format::kE5m2:
      for (Index i = 0; i < count; ++i) { store_unaligned(to + i, float_to_e5m2(from[i])); }
      return;
    default:
      for (Index i = 0; i < count; ++i) { store_unaligned(to + 4 * i, float_to_fp32(from[i])); }
  }
}

}  // namespace assay
