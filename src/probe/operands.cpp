// What a kernel asks of its operands: the smallest alignment and multiples with which it is right.
#include <algorithm>

#include <fmt/format.h>

#include "src/probe/experiments.h"
#include "src/problem/convention.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

constexpr Index kLargestBase = 128;  // bytes: operands of a plain case lie on 256
constexpr Index kLargestMultiple = 128;
constexpr Index kWide = 256;

struct Limit {
  Index least = 0;  // right from here upwards; 0: nowhere
  std::string evidence{};
};

// The smallest power of two from which downwards nothing is right any more.
template <class Case>
Limit smallest(Probing& probing, Index largest, const Case& case_of, Index lowest = 1) {
  Limit limit;
  for (Index size = largest; size >= lowest; size /= 2) {
    if (probing.lab.gives_up()) { break; }
    const Attempt attempt = case_of(size);
    if (attempt.right()) {
      limit.least = size;
      continue;
    }
    limit.evidence = fmt::format(
        "{} at {}{}", name(attempt.answer), size,
        attempt.answer == Answer::kWrong || attempt.why.empty() ? "" : ": " + attempt.why);
    break;
  }
  if (limit.evidence.empty()) { limit.evidence = fmt::format("right at {}", lowest); }
  return limit;
}

void set_strides_wide(CaseSpec& spec) {
  const bool enk = spec.weights == WeightsLayout::kEnk;
  const auto rest = [](Index width) { return align_up(width, kWide) - width; };
  spec.ld = {rest(spec.k), rest(enk ? spec.k : spec.n), rest(spec.n)};
}

Attempt first_not_right(Probing& probing, const std::vector<CaseSpec>& specs) {
  Attempt attempt;
  for (const CaseSpec& spec : specs) {
    attempt = probing.lab.try_case(spec);
    if (!attempt.right()) { return attempt; }
  }
  return attempt;
}

// Widths that are odd multiples of `size`: a few alone, a few past a tile.
template <class Set>
Attempt try_widths(Probing& probing, Index size, bool wide_strides, const Set& set) {
  std::vector<CaseSpec> specs;
  for (const Index width : {size, kWide + size, 3 * size}) {
    CaseSpec spec = probing.base;
    set(spec, width);
    if (wide_strides) { set_strides_wide(spec); }
    specs.push_back(spec);
  }
  return first_not_right(probing, specs);
}

void settle_multiple(Probing& probing, const char* field, const Limit& limit, Index& to) {
  if (limit.least == 0) {
    probing.row(field, "unknown", limit.evidence);
    return;
  }
  to = limit.least;
  probing.settle(field);
  probing.row(field, fmt::format("{}", limit.least), limit.evidence);
}

// Not below what is declared: only offsets tell of such rows, and a kernel may take them on trust.
void probe_row_multiple(Probing& probing) {
  const Index lowest = probing.lab.own().row_multiple;
  Index largest = lowest;
  while (2 * largest <= kLargestMultiple) { largest *= 2; }
  const auto with_rows_of = [&](Index size) {
    CaseSpec spec = probing.base;
    spec.rows = {5 * size, 3 * size, 7 * size};
    if (spec.cap > 0) { spec.cap = 8 * size; }
    if (traits(spec.offsets.convention).starts_follow_pad) { spec.pad = size; }
    // Demands on all rows are another matter.
    if (probing.lab.own().total_rows_multiple > 1) { spec = probing.lab.placed(spec); }
    return probing.lab.try_case(spec, ProbeSession::Rows::kAsTheyAre);
  };
  const Limit limit = smallest(probing, largest, with_rows_of, lowest);
  settle_multiple(probing, "row_multiple", limit, probing.report.probed.row_multiple);
}

}  // namespace

void probe_operands(Probing& probing) {
  Manifest& probed = probing.report.probed;
  const Index element =
      std::max({size_bytes(probing.base.in.a.format), size_bytes(probing.base.in.b.format),
                size_bytes(probing.base.out)});
  Limit base = smallest(
      probing, kLargestBase,
      [&](Index bytes) {
        CaseSpec spec = probing.base;
        spec.base = {bytes, bytes, bytes};
        return probing.lab.try_case(spec);
      },
      element);
  if (base.least == element) {
    base.least = 1;  // no case asks for less than an element
  }
  if (base.least == 0) { base.least = 2 * kLargestBase; }
  settle_multiple(probing, "base_bytes", base, probed.base_bytes);

  const bool dense = probing.lab.own().dense_strides;
  const Limit strides = dense ? Limit{} : smallest(probing, kLargestMultiple, [&](Index size) {
    CaseSpec spec = probing.base;
    set_strides_wide(spec);
    for (const Role role : {Role::kX, Role::kW, Role::kY}) { spec.ld[role] += size; }
    spec.wpitch = size;
    return probing.lab.try_case(spec);
  });
  if (strides.least == 0) {
    probing.report.probed.dense_strides = true;
    probing.settle("strides");
    probing.row("strides", "dense",
                dense ? "as declared" : "rows with gaps between them: " + strides.evidence);
  } else {
    settle_multiple(probing, "ld_multiple", strides, probed.ld_multiple);
  }
  const bool wide = strides.least > 0;
  const Limit k = smallest(probing, kLargestMultiple, [&](Index size) {
    return try_widths(probing, size, wide, [](CaseSpec& spec, Index width) { spec.k = width; });
  });
  settle_multiple(probing, "k_multiple", k, probed.k_multiple);
  const Limit n = smallest(probing, kLargestMultiple, [&](Index size) {
    return try_widths(probing, size, wide, [](CaseSpec& spec, Index width) { spec.n = width; });
  });
  settle_multiple(probing, "n_multiple", n, probed.n_multiple);
  probe_row_multiple(probing);
}

}  // namespace assay
