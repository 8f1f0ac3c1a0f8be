// Bringing a mutated case back to what makes sense and is small.
#include <algorithm>

#include "fuzz/mutate_case.h"
#include "src/core/require.h"
#include "src/problem/case_text.h"
#include "src/problem/convention.h"
#include "src/problem/limits.h"
#include "src/problem/packing.h"
#include "src/problem/row_layout.h"
#include "src/problem/scale_places.h"

namespace assay {
namespace {

constexpr Index kMaxSize = 1024;  // k, n, and what one expert takes
constexpr Index kMaxTail = 256;
constexpr Index kMostGap = 64;

template <class T>
bool is_among(const T& item, const std::vector<T>& list) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

void settle_formats(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  const auto formats = space.formats_of(spec.pass);
  const auto is_here = [&](const Combination& each) { return is_of(each, spec); };
  if (std::none_of(formats.begin(), formats.end(), is_here)) { use(rng.pick(formats), spec); }
  if (!may_output(spec.in, spec.out)) { spec.out = outputs_of(spec.in).front(); }
  spec.acc = std::clamp(spec.acc, 0, kMaxAccumulations);
  if (!space.accumulates || !may_accumulate(spec)) { spec.acc = 0; }
  if (!may_have_bias(spec) || (spec.bias && !is_among(*spec.bias, space.bias))) {
    spec.bias.reset();
  }
}

void settle_sizes(CaseSpec& spec, const MutationSpace& space) {
  spec.k = std::clamp<Index>(spec.k, 1, kMaxSize);
  spec.n = std::clamp<Index>(spec.n, 1, kMaxSize);
  if (spec.experts() > space.max_experts) {
    spec.rows.resize(static_cast<std::size_t>(space.max_experts));
  }
  if (spec.rows.empty()) { spec.rows = {1}; }
  for (Index& count : spec.rows) { count = std::clamp<Index>(count, 0, kMaxSize); }
}

void settle_scale_places(CaseSpec& spec, const MutationSpace& space) {
  if (!is_among(spec.scale_layout, space.scale_layouts)) {
    spec.scale_layout = space.scale_layouts.front();
  }
  if (!is_among(spec.scale_starts, space.scale_starts)) {
    spec.scale_starts = space.scale_starts.front();
  }
  if (!has_scale_pitch_among(spec, space.scale_pitches)) {
    spec.scale_pitch = space.scale_pitches.front();
  }
  spec.scale_pitch = std::min(spec.scale_pitch, kMaxPad);
  settle_scale_words(spec);
}

void settle_placement(CaseSpec& spec, const MutationSpace& space) {
  const Convention convention = spec.offsets.convention;
  if (!space.told_differs || !may_be_told(convention, spec.told.convention)) {
    spec.told = spec.offsets;
  }
  if (!traits(convention).by_pointers || spec.told != spec.offsets) {
    spec.pointers = Pointers::kInOrder;
  }
  if (output_role(spec.pass) == Role::kW) {
    spec.pointers = std::min(spec.pointers, Pointers::kScattered);
  }
  const Index most = *std::max_element(spec.rows.begin(), spec.rows.end());
  if (traits(convention).has_buffers) {
    if (spec.cap > 0) { spec.cap = std::clamp(spec.cap, most, most + kMostGap); }
    spec.pad = 1;
    spec.tail = 0;
  } else {
    spec.cap = 0;
    if (!traits(convention).expresses_gaps) { spec.pad = 1; }
    spec.pad = std::clamp<Index>(spec.pad, 1, 2 * kMostGap);
    spec.tail = std::clamp<Index>(spec.tail, 0, kMaxTail);
  }
  spec.wpitch = std::clamp<Index>(spec.wpitch, 0, kMostGap);
  settle_scale_places(spec, space);
  for (const Role role : kAllRoles) {
    const Index unit = size_bytes(format_of(spec, role));
    spec.base[role] = std::clamp<Index>(spec.base[role], 0, 255) / unit * unit;
    spec.ld[role] = std::clamp<Index>(spec.ld[role], 0, kMostGap);
  }
  use_whole_bytes(spec);
}

Index elements_of(const CaseSpec& spec, Role role) {
  if (role == Role::kW) {
    const bool enk = spec.weights == WeightsLayout::kEnk;
    const Index rows = enk ? spec.n : spec.k;
    return spec.experts() * (rows * ((enk ? spec.k : spec.n) + spec.ld.w) + spec.wpitch);
  }
  const Index cols = role == Role::kX ? spec.k : spec.n;
  return lay_out_rows(spec).physical_rows * (cols + spec.ld[role]);
}

// Halves what makes the case large; which of k, n and the largest expert is left to chance, so that
// borders in each of them survive.
void cut_products(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  while (multiply_adds(spec) > space.max_products) {
    Index& most = *std::max_element(spec.rows.begin(), spec.rows.end());
    Index* sizes[] = {&spec.k, &spec.n, &most};
    Index& size = *sizes[rng.below(3)];
    if (size > 1) { size = (size + 1) / 2; }
    use_whole_bytes(spec);
    // Many experts of a few rows: each is already small.
    if (spec.k == 1 && spec.n == 1 && most == 1) { break; }
  }
}

void cut_elements(CaseSpec& spec, const MutationSpace& space) {
  const auto is_too_large = [&](Role role) { return elements_of(spec, role) > space.max_elements; };
  while (is_too_large(Role::kX) || is_too_large(Role::kY)) {
    Index& most = *std::max_element(spec.rows.begin(), spec.rows.end());
    if (spec.pad > 1) {
      spec.pad /= 2;
    } else if (spec.tail > 0) {
      spec.tail /= 2;
    } else if (spec.cap > most) {
      spec.cap = most;
    } else if (most > 1 && most >= spec.k && most >= spec.n) {
      most /= 2;
      spec.cap = 0;
    } else {
      Index& wide = spec.k > spec.n ? spec.k : spec.n;
      wide = std::max<Index>(1, wide / 2);
      spec.ld = {};
    }
    use_whole_bytes(spec);
  }
  while (is_too_large(Role::kW)) {
    if (spec.wpitch > 0 || spec.ld.w > 0) {
      spec.wpitch = spec.ld.w = 0;
    } else if (spec.experts() > 8) {
      spec.rows.resize(spec.rows.size() / 2);
    } else {
      Index& wide = spec.k > spec.n ? spec.k : spec.n;
      wide /= 2;
    }
    use_whole_bytes(spec);
  }
}

}  // namespace

bool is_within(const CaseSpec& spec, const MutationSpace& space) {
  if (spec.experts() > space.max_experts || multiply_adds(spec) > space.max_products) {
    return false;
  }
  for (const Role role : kAllRoles) {
    if (!(elements_of(spec, role) <= space.max_elements)) { return false; }
  }
  return true;
}

void settle_case(CaseSpec& spec, const MutationSpace& space, Rng& rng) {
  settle_sizes(spec, space);
  settle_formats(spec, space, rng);
  use_whole_bytes(spec);
  cut_products(spec, space, rng);
  settle_placement(spec, space);
  cut_elements(spec, space);
  settle_placement(spec, space);
  const Status sense = check_case(spec);
  ASSAY_REQUIRE(sense.has_value(), sense ? "" : sense.error().message, canonical_text(spec));
  ASSAY_REQUIRE(is_within(spec, space), canonical_text(spec));
}

}  // namespace assay
