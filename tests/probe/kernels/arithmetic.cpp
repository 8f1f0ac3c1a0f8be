// A forward product of bf16 that adds up in a way of its own (ARITHMETIC), under a manifest that
// says nothing but a name; kRowwise takes e4m3 with a scale a row, and writes bf16 alone;
// kScaledApart and kScaledRightFirst have one for each 128 products, multiplied into their sum one
// after the other, and write fp32 alone: bf16 hides the difference.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "src/contract/assay/abi.h"

namespace {

enum {
  kBf16Partials,
  k14Bits,
  kHopper,
  kAmpere,
  kSplitInFour,
  kDescending,
  kRowwise,
  kScaledApart,
  kScaledRightFirst
};
constexpr bool kScaledByBlocks = ARITHMETIC == kScaledApart || ARITHMETIC == kScaledRightFirst;
constexpr bool kScaled = ARITHMETIC == kRowwise || kScaledByBlocks;
constexpr std::size_t kInterval = 128;

float bf16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}
float e4m3_value(std::uint8_t bits) {
  const int field = bits >> 3 & 15, fraction = bits & 7;
  float size = field == 0 ? std::ldexp(static_cast<float>(fraction), -9)
                          : std::ldexp(static_cast<float>(8 + fraction), field - 10);
  if ((bits & 0x7f) == 0x7f) { size = std::nanf(""); }
  return (bits & 0x80) != 0 ? -size : size;
}
std::uint16_t bf16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// What follows is most of a probe's time: bits are read, as calls of libm would be dear.
constexpr int kFractionBits = 52, kBias = 1023;

double two_to(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(kBias + exponent) << kFractionBits);
}

// 2^exponent of a double that is not subnormal, as no product of two bf16 is; 0 of 0.
double power_of(double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0x7ff0000000000000u);
}
// 2^(exponent of a + exponent of b): a product's exponent before it is normalized. Subnormal
// numbers have that of the smallest normal one.
double power_of(float a, float b) {
  constexpr double kLeast = kScaled ? 0x1p-6 : 0x1p-126;
  if (a == 0 || b == 0) { return 0; }
  return std::max(power_of(static_cast<double>(a)), kLeast) *
         std::max(power_of(static_cast<double>(b)), kLeast);
}

// `unit` is a power of two, `inverse` is 1 / unit.
double cut(double value, double unit, double inverse) {
  const double steps = value * inverse;
  constexpr double kMany = 0x1p62;
  return (std::abs(steps) < kMany ? static_cast<double>(static_cast<std::int64_t>(steps))
                                  : std::trunc(steps)) *
         unit;
}

// A step's products and the sum so far, cut to `fraction` bits below the largest exponent; what
// they add up to, to `out` bits.
double add_step(double sum, std::span<const double> products, double largest, int fraction,
                int out) {
  largest = std::max(largest, power_of(sum));
  if (largest == 0) { return 0; }
  const double unit = largest * two_to(-fraction), inverse = 1 / unit;
  double total = cut(sum, unit, inverse);
  for (const double product : products) { total += cut(product, unit, inverse); }
  if (total == 0) { return 0; }
  const double last = power_of(total) * two_to(-out);
  return cut(total, last, 1 / last);
}

constexpr std::size_t kMostProducts = 32;
struct Steps {
  std::size_t products;
  int fraction, out;
};

float in_steps(const std::vector<float>& a, const std::vector<float>& b, const Steps& steps,
               std::size_t first, std::size_t end) {
  double sum = 0;
  std::array<double, kMostProducts> products;
  for (std::size_t r = first; r < end; r += steps.products) {
    const std::size_t count = std::min(end - r, steps.products);
    double largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      products[i] = static_cast<double>(a[r + i]) * b[r + i];
      largest = std::max(largest, power_of(a[r + i], b[r + i]));
    }
    sum = add_step(sum, std::span(products).first(count), largest, steps.fraction, steps.out);
  }
  return static_cast<float>(sum);
}

float in_fp32(const std::vector<float>& a, const std::vector<float>& b, std::size_t first,
              std::size_t end) {
  float sum = 0;
  for (std::size_t r = first; r < end; ++r) { sum = std::fma(a[r], b[r], sum); }
  return sum;
}

float dot(const std::vector<float>& a, const std::vector<float>& b) {
  const std::size_t k = a.size();
  float sum = 0;
  switch (ARITHMETIC) {
    case kHopper:
      return in_steps(a, b, {16, 25, 23}, 0, k);
    case kAmpere:
      return in_steps(a, b, {8, 24, 23}, 0, k);
    case k14Bits:
      return in_steps(a, b, {32, 13, 13}, 0, k);
    case kRowwise:
      for (std::size_t r = 0; r < k; r += kInterval) {
        sum += in_steps(a, b, {32, 13, 13}, r, std::min(k, r + kInterval));
      }
      return sum;
    case kSplitInFour:
      for (std::size_t part = 0; part < 4; ++part) {
        sum += in_fp32(a, b, part * k / 4, (part + 1) * k / 4);
      }
      return sum;
    case kDescending:
      for (std::size_t r = k; r-- > 0;) { sum = std::fma(a[r], b[r], sum); }
      return sum;
    case kBf16Partials:
      for (std::size_t r = 0; r < k; ++r) {
        sum = std::fma(a[r], b[r], sum);
        if (r % 64 == 63) { sum = bf16_value(bf16_bits(sum)); }
      }
      return sum;
  }
  return 0;
}

using Code = std::conditional_t<kScaled, std::uint8_t, std::uint16_t>;
constexpr int kCodeOfInputs = kScaled ? 10 : 4;

float value_of(std::uint8_t code) { return e4m3_value(code); }
float value_of(std::uint16_t code) { return bf16_value(code); }

std::vector<float> line_of(const Code* first, std::int64_t k) {
  std::vector<float> line;
  for (std::int64_t r = 0; r < k; ++r) { line.push_back(value_of(first[r])); }
  return line;
}

float scale_at(const assay_tensor& scales, std::int64_t element) {
  return static_cast<const float*>(scales.data)[element];
}

// Scales of 1x128 by 1x128, each rounded in on its own.
float scaled_apart(const std::vector<float>& a, const std::vector<float>& b, const assay_call* call,
                   std::int64_t row, std::int64_t g, std::int64_t col) {
  const std::int64_t* const of_w = call->w_scale->strides;
  float sum = 0;
  for (std::size_t r = 0; r < a.size(); r += kInterval) {
    const auto block = static_cast<std::int64_t>(r / kInterval);
    const float part = in_steps(a, b, {32, 13, 13}, r, std::min(a.size(), r + kInterval));
    const float left = scale_at(*call->x_scale, row * call->x_scale->strides[0] + block);
    const float right = scale_at(*call->w_scale, g * of_w[0] + block * of_w[1] + col * of_w[2]);
    sum = ARITHMETIC == kScaledRightFirst ? std::fma(part * right, left, sum)
                                          : std::fma(part * left, right, sum);
  }
  return sum;
}

}  // namespace

extern "C" const char* assay_manifest_v1(void) {
  return ARITHMETIC == kRowwise
             ? R"({"name": "black_box", "formats": [{"in": "e4m3/row", "out": "bf16"}]})"
         : kScaledByBlocks ? R"({"name": "black_box",
                   "formats": [{"in": "e4m3/1x128,1x128:fp32", "out": "fp32"}]})"
                           : R"({"name": "black_box"})";
}

extern "C" int assay_run_v1(const assay_call* call) {
  if (call->pass != ASSAY_FWD || call->convention != ASSAY_OFFSETS_ENDS ||
      call->weights != ASSAY_ENK || call->x->dtype.code != kCodeOfInputs) {
    return ASSAY_UNSUPPORTED;
  }
  const auto* const x = static_cast<const Code*>(call->x->data);
  const auto* const w = static_cast<const Code*>(call->w->data);
  const auto* const ends = static_cast<const std::int32_t*>(call->offsets->data);
  std::int64_t row = 0;
  for (std::int64_t g = 0; g < call->experts; ++g) {
    std::vector<std::vector<float>> weights;
    for (std::int64_t col = 0; col < call->n; ++col) {
      weights.push_back(line_of(w + g * call->w->strides[0] + col * call->w->strides[1], call->k));
    }
    for (; row < ends[g]; ++row) {
      const std::vector<float> line = line_of(x + row * call->x->strides[0], call->k);
      for (std::int64_t col = 0; col < call->n; ++col) {
        float sum = kScaledByBlocks ? scaled_apart(line, weights[col], call, row, g, col)
                                    : dot(line, weights[col]);
        if (ARITHMETIC == kRowwise) {
          const assay_tensor& of_w = *call->w_scale;
          sum *= scale_at(*call->x_scale, row * call->x_scale->strides[0]);
          sum *= scale_at(of_w, g * of_w.strides[0] + col * of_w.strides[2]);
        }
        const std::int64_t at = row * call->y->strides[0] + col;
        if (call->y->dtype.bits == 32) {
          static_cast<float*>(call->y->data)[at] = sum;
        } else {
          static_cast<std::uint16_t*>(call->y->data)[at] = bf16_bits(sum);
        }
      }
    }
  }
  return ASSAY_OK;
}
