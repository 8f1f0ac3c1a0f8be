#include "src/problem/case_spec.h"

#include <algorithm>
#include <limits>

#include "src/core/require.h"
#include "src/problem/convention.h"

namespace assay {
namespace {

template <std::size_t kCount>
std::string_view name_at(const std::string_view (&names)[kCount], std::size_t index) {
  ASSAY_REQUIRE(index < kCount, index);
  return names[index];
}

constexpr std::string_view kLayoutNames[] = {"enk", "ekn"};
constexpr std::string_view kPointersNames[] = {"in_order", "scattered", "shared"};
constexpr std::string_view kScaleLayoutNames[] = {"strided", "32_4_4"};
constexpr std::string_view kScaleStartsNames[] = {"compact", "aligned"};
constexpr std::string_view kFillNames[] = {"integers", "anchored",  "coded",      "normal",
                                           "positive", "lognormal", "cancelling", "special",
                                           "sparse",   "equal",     "extreme"};
constexpr std::string_view kRoleNames[] = {"x", "w", "y"};

}  // namespace

std::string_view name(Pass pass) { return operation(pass).name; }
std::string_view name(Convention convention) { return traits(convention).name; }
std::string_view name(WeightsLayout layout) {
  return name_at(kLayoutNames, static_cast<std::size_t>(layout));
}
std::string_view name(Pointers pointers) {
  return name_at(kPointersNames, static_cast<std::size_t>(pointers));
}
std::string_view name(ScaleLayout layout) {
  return name_at(kScaleLayoutNames, static_cast<std::size_t>(layout));
}
std::string_view name(ScaleStarts starts) {
  return name_at(kScaleStartsNames, static_cast<std::size_t>(starts));
}
std::string_view name(Fill fill) { return name_at(kFillNames, static_cast<std::size_t>(fill)); }
std::string_view name(Role role) { return name_at(kRoleNames, static_cast<std::size_t>(role)); }

std::string name(const OffsetsKind& kind) {
  std::string text{name(kind.convention)};
  if (kind.type == IndexType::kI64) { text += ":i64"; }
  if (kind.place == OffsetsPlace::kHost) { text += ":host"; }
  return text;
}

Format format_of(const CaseSpec& spec, Role role) {
  return role == output_role(spec.pass) ? spec.out.format : spec.in.of(spec.pass, role).format;
}

Axis contiguous_axis(const CaseSpec& spec, Role role) {
  if (role != Role::kW) { return axes_of(role).cols; }
  return spec.weights == WeightsLayout::kEnk ? axes_of(role).rows : axes_of(role).cols;
}

bool may_accumulate(const CaseSpec& spec) {
  return operation(spec.pass).accumulates && spec.out == Format::kFp32;
}

bool may_have_bias(const CaseSpec& spec) {
  return operation(spec.pass).adds_bias && !spec.out.scaled;
}

bool adds_to_sums(const CaseSpec& spec) { return spec.acc > 0 || spec.bias.has_value(); }

Index longest_reduction(const CaseSpec& spec) {
  const Index most = *std::max_element(spec.rows.begin(), spec.rows.end());
  return axis_sizes(spec, most)[operation(spec.pass).depth()];
}

Index total_rows(const CaseSpec& spec) {
  Index total = 0;
  for (const Index rows : spec.rows) { total += rows; }
  return total;
}

Index multiply_adds(const CaseSpec& spec) {
  constexpr Index kMost = std::numeric_limits<Index>::max();
  Index products = 0;
  if (__builtin_mul_overflow(total_rows(spec), spec.k, &products)) { return kMost; }
  if (__builtin_mul_overflow(products, spec.n, &products)) { return kMost; }
  return products;
}

}  // namespace assay
