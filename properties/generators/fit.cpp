#include "properties/generators/fit.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "properties/generators/draw.h"
#include "src/problem/convention.h"
#include "src/problem/limits.h"
#include "src/problem/packing.h"
#include "src/problem/row_layout.h"
#include "src/problem/scale_places.h"

namespace assay {
namespace {

Index most_rows(const CaseSpec& spec) {
  return std::max<Index>(1, *std::ranges::max_element(spec.rows));
}

// Where there were several rows, one is left.
void halve(CaseSpec& spec) {
  const auto first = std::ranges::find_if(spec.rows, [](Index rows) { return rows > 0; });
  const bool several = total_rows(spec) > 1;
  for (Index& rows : spec.rows) { rows /= 2; }
  if (several && total_rows(spec) == 0) { *first = 1; }
}

void fit_experts(CaseSpec& spec, const Manifest& manifest) {
  if (manifest.max_experts > 0 && spec.experts() > manifest.max_experts) {
    spec.rows.resize(static_cast<std::size_t>(manifest.max_experts));
  }
}

void fit_counts(CaseSpec& spec, const Manifest& manifest) {
  const ConventionTraits& row = traits(spec.offsets.convention);
  for (Index& rows : spec.rows) {
    if (rows > 0) { rows = std::max(rows, manifest.least_rows); }
    if (!row.has_buffers && !row.expresses_gaps) { rows = align_up(rows, manifest.row_multiple); }
  }
}

// Of the convention or the pass before this one.
void fit_pointers(CaseSpec& spec, const Manifest& manifest) {
  const bool in_order = !traits(spec.offsets.convention).by_pointers || spec.told != spec.offsets ||
                        manifest.compiled_for.rows;
  if (in_order) {
    spec.pointers = Pointers::kInOrder;
  } else if (spec.pointers == Pointers::kShared && output_role(spec.pass) == Role::kW) {
    spec.pointers = Pointers::kScattered;
  }
}

}  // namespace

void fit_places(CaseSpec& spec, const Manifest& manifest) {
  const Index multiple = manifest.row_multiple, total = manifest.total_rows_multiple;
  const auto ragged = [&](Index rows) { return rows % multiple != 0; };
  fit_pointers(spec, manifest);
  if (traits(spec.offsets.convention).has_buffers) {
    const Index unit = std::lcm(multiple, total);
    if (unit > 1) { spec.cap = align_up(std::max(spec.cap, most_rows(spec)), unit); }
    if (spec.cap > 0) { spec.cap = std::max(spec.cap, most_rows(spec)); }
    return;
  }
  const bool gaps = traits(spec.offsets.convention).expresses_gaps;
  if (!gaps) { spec.pad = 1; }  // of the convention before this one
  if (gaps && spec.pad % multiple != 0 &&
      (spec.pad > 1 || std::ranges::any_of(spec.rows, ragged))) {
    spec.pad = align_up(spec.pad, multiple);
  }
  const Index rows = lay_out_rows(spec).physical_rows;
  spec.tail += align_up(rows, total) - rows;
}

Manifest with_room_for_experts(Manifest manifest, Index times) {
  const Index most = manifest.max_experts;
  if (most > 1) { manifest.max_experts = std::max<Index>(1, std::min(most - 1, most / times)); }
  return manifest;
}

void fit_rows(CaseSpec& spec, const Manifest& manifest) {
  fit_experts(spec, manifest);
  fit_counts(spec, manifest);
  fit_places(spec, manifest);
  const auto too_many = [&] {
    return manifest.max_rows > 0 && lay_out_rows(spec).physical_rows > manifest.max_rows;
  };
  if (!too_many()) { return; }
  spec.tail = 0;
  spec.cap = 0;
  fit_places(spec, manifest);
  while (too_many() && total_rows(spec) > 0) {
    halve(spec);
    spec.cap = 0;
    spec.tail = 0;
    fit_places(spec, manifest);
  }
  // Halves may be ragged again, or fewer than an expert has at least.
  fit_counts(spec, manifest);
  fit_places(spec, manifest);
}

namespace {

// What a kernel is compiled for: an ordinary one, odd tails, less than a tile, more than two tiles,
// long reductions of either kind, and many experts.
struct Shape {
  Index k, n, experts, rows;
};
constexpr Shape kShapes[] = {{96, 64, 8, 512},   {33, 47, 4, 132},  {300, 270, 3, 420},
                             {2048, 24, 1, 96},  {24, 2048, 2, 96}, {7, 5, 40, 120},
                             {16, 8, 1024, 2048}};

double distance(Index a, Index b) {
  return std::abs(std::log2(static_cast<double>(a + 1) / static_cast<double>(b + 1)));
}

template <class List, class Item>
std::size_t place_in(const List& list, const Item& item) {
  return static_cast<std::size_t>(std::ranges::find(list, item) - list.begin());
}

std::size_t place_of_formats(const CaseSpec& spec, const Manifest& manifest) {
  const std::vector<Combination> all = manifest.formats_of(spec.pass);
  const auto is_here = [&](const Combination& each) { return is_of(each, spec); };
  return static_cast<std::size_t>(std::ranges::find_if(all, is_here) - all.begin());
}

// What else a kernel is compiled for: 0 for the first format, layout and tactic of its manifest.
std::size_t combination_of(const CaseSpec& spec, const Manifest& manifest) {
  const std::size_t tactic =
      spec.tactic == "default" ? 0 : 1 + place_in(manifest.tactics, spec.tactic);
  return tactic + place_of_formats(spec, manifest) + place_in(manifest.weights, spec.weights) +
         (adds_to_sums(spec) ? 1 : 0);
}

// The first combination is compiled for all shapes, each of the others for the ordinary one and one
// more: a kernel of two formats and three tactics costs 17 compilations a pass, and not 42.
bool is_compiled_for(const Shape& shape, std::size_t combination) {
  const std::size_t place = static_cast<std::size_t>(&shape - kShapes);
  return combination == 0 || place == 0 || place == 1 + combination % (std::size(kShapes) - 1);
}

const Shape& nearest_shape(const CaseSpec& spec, const Manifest& manifest) {
  const CompiledFor& compiled = manifest.compiled_for;
  const std::size_t combination = combination_of(spec, manifest);
  constexpr double kExpertsCount = 2;  // more than a width: few shapes have many
  const auto far = [&](const Shape& shape) {
    return (compiled.k ? distance(spec.k, shape.k) : 0) +
           (compiled.n ? distance(spec.n, shape.n) : 0) +
           (compiled.experts ? kExpertsCount * distance(spec.experts(), shape.experts) : 0) +
           (compiled.rows ? distance(total_rows(spec), shape.rows) : 0);
  };
  const auto cost = [&](const Shape& shape) {
    return is_compiled_for(shape, combination) ? far(shape)
                                               : std::numeric_limits<double>::infinity();
  };
  return *std::ranges::min_element(kShapes, {}, cost);
}

// Exactly `wanted` physical rows: fewer real ones where there are too many, a tail or larger
// buffers where there are too few.
void fit_physical_rows(CaseSpec& spec, const Manifest& manifest, Index wanted) {
  const bool buffers = traits(spec.offsets.convention).has_buffers;
  const Index unit = std::lcm(manifest.row_multiple, manifest.total_rows_multiple);
  Index rows = align_up(wanted, buffers ? unit * spec.experts() : unit);
  const auto taken = [&] {
    if (!buffers) { return lay_out_rows(spec).physical_rows; }
    return align_up(most_rows(spec), unit) * spec.experts();
  };
  spec.tail = 0;
  spec.cap = 0;
  while (taken() > rows && total_rows(spec) > 0) {
    halve(spec);
    spec.pad = std::min(spec.pad, std::max<Index>(1, manifest.row_multiple));
    fit_counts(spec, manifest);
    const Index most = std::ranges::max(spec.rows);
    if (taken() > rows && (most <= unit || most <= manifest.least_rows)) {
      // Every second expert that has rows loses them.
      bool keeps = true;
      for (Index& count : spec.rows) {
        if (count > 0 && !(keeps = !keeps)) { count = 0; }
      }
    }
  }
  if (buffers) {
    spec.cap = rows / spec.experts();
  } else {
    spec.tail = rows - lay_out_rows(spec).physical_rows;
  }
}

void fit_shape(CaseSpec& spec, const Manifest& manifest) {
  const CompiledFor& compiled = manifest.compiled_for;
  if (!compiled.any()) { return; }
  const Shape& shape = nearest_shape(spec, manifest);
  if (compiled.k) { spec.k = shape.k; }
  if (compiled.n) { spec.n = shape.n; }
  const auto within = [](Index size, Index most) { return most > 0 ? std::min(size, most) : size; };
  if (compiled.experts) {
    spec.rows.resize(static_cast<std::size_t>(within(shape.experts, manifest.max_experts)), 0);
  }
  if (compiled.strides) {
    // One shape has gaps, too.
    const bool gaps = &shape == kShapes && spec.ld != PerOperand<Index>{};
    const Index gap = gaps ? fit_gap(8 * manifest.ld_multiple, manifest) : 0;
    spec.ld = {gap, gap, gap};
    spec.wpitch = 0;
  }
  if (compiled.rows) {
    fit_counts(spec, manifest);
    fit_places(spec, manifest);
    const Index unit = std::lcm(manifest.row_multiple, manifest.total_rows_multiple);
    fit_physical_rows(spec, manifest, within(shape.rows, manifest.max_rows / unit * unit));
  }
}

// Experts begin with whole blocks of scales, where the convention has gaps for that.
void align_to_scales(CaseSpec& spec) {
  const Index rows = rows_of_scale_blocks(spec);
  constexpr Index kMostPadding = 16'384;  // rows; many experts would have little else
  if (rows * spec.experts() > kMostPadding) { return; }
  const ConventionTraits& row = traits(spec.offsets.convention);
  if (row.has_buffers) { spec.cap = align_up(buffer_rows(spec), rows); }
  if (row.expresses_gaps && !row.has_buffers) { spec.pad = std::lcm(spec.pad, rows); }
}

void place_scales(CaseSpec& spec, Index pitch, ScaleLayout layout, ScaleStarts starts) {
  spec.scale_layout = layout;
  spec.scale_pitch = std::min(pitch, kMaxPad);
  spec.scale_starts = starts;
  // A check without gaps will go on to conventions that have none.
  const bool placed = spec.pad > 1 || spec.cap > 0;
  if (starts == ScaleStarts::kAligned && placed && takes_scale_starts(spec)) {
    align_to_scales(spec);
  }
  settle_scale_words(spec);
}

}  // namespace

// From the seed, so that other cases are drawn as they were before there was a choice.
void fit_scale_places(CaseSpec& spec, const Manifest& manifest) {
  const auto& pitches = manifest.scale_pitches;
  const Index pitch = pitches[spec.seed % pitches.size()];
  const bool compiled_in = manifest.compiled_for.strides;
  const Index times = spec.seed / pitches.size() % 3 == 0 && !compiled_in ? 16 : 1;
  std::uint64_t word = mix_bits(spec.seed);
  const auto one_of = [&](const auto& list) {
    const auto chosen = list[word % list.size()];
    word /= list.size();
    return chosen;
  };
  const ScaleLayout layout = one_of(manifest.scale_layouts);
  const ScaleStarts starts = one_of(manifest.scale_starts);
  place_scales(spec, pitch * times, layout, starts);
}

void use_first_scale_places(CaseSpec& spec, const Manifest& manifest) {
  place_scales(spec, manifest.scale_pitches.front(), manifest.scale_layouts.front(),
               manifest.scale_starts.front());
}

void fit_widths(CaseSpec& spec, const Manifest& manifest) {
  const Index k_multiple = manifest.multiple(Axis::kK, spec.pass);
  const Index n_multiple = manifest.multiple(Axis::kN, spec.pass);
  spec.k = to_multiple(spec.k, k_multiple);
  spec.n = to_multiple(spec.n, n_multiple);
  use_whole_bytes(spec, k_multiple, n_multiple);
}

void fit_bias(CaseSpec& spec, const Manifest& manifest) {
  if (!may_have_bias(spec)) { return spec.bias.reset(); }
  constexpr std::uint64_t kEvery = 4, kOwn = 0x62696173;
  const std::uint64_t word = mix_bits(spec.seed ^ kOwn);
  if (spec.bias || manifest.bias.empty() || word % kEvery != 0) { return; }
  spec.bias = manifest.bias[word / kEvery % manifest.bias.size()];
}

void fit_to(CaseSpec& spec, const Manifest& manifest, bool keeps_shape) {
  fit_bias(spec, manifest);
  fit_scale_places(spec, manifest);
  fit_experts(spec, manifest);
  if (!keeps_shape) { fit_shape(spec, manifest); }
  fit_widths(spec, manifest);
  fit_rows(spec, manifest);
  settle_scale_words(spec);
}

std::vector<Index> compiled_shape(const CaseSpec& spec, const Manifest& manifest) {
  const CompiledFor& compiled = manifest.compiled_for;
  std::vector<Index> shape;
  if (compiled.k) { shape.push_back(spec.k); }
  if (compiled.n) { shape.push_back(spec.n); }
  if (compiled.experts) { shape.push_back(spec.experts()); }
  if (compiled.rows) { shape.push_back(lay_out_rows(spec).physical_rows); }
  if (compiled.strides) { shape.insert(shape.end(), {spec.ld.x, spec.ld.w, spec.ld.y}); }
  return shape;
}

void make_rows_whole(CaseSpec& spec, const Manifest& manifest) {
  for (Index& rows : spec.rows) {
    if (rows > 0) { rows = align_up(std::max(rows, manifest.least_rows), manifest.row_multiple); }
  }
}

Index fit_cut(Index cut, Index count, const Manifest& manifest, Index multiple) {
  const Index least = manifest.least_rows;
  const Index unit = std::lcm(manifest.row_multiple, multiple);
  Index fitting = cut / unit * unit;
  if (fitting > 0 && fitting < least) { fitting = align_up(least, unit); }
  return count - fitting >= least || fitting == count ? fitting : 0;
}

Index fit_gap(Index wanted, const Manifest& manifest) {
  return manifest.dense_strides ? 0 : wanted;
}

}  // namespace assay
