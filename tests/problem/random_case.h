// Random valid cases of every kind for the tests of this folder.
#pragma once

#include <algorithm>

#include <rapidcheck.h>

#include "src/problem/case_text.h"
#include "src/problem/convention.h"
#include "src/problem/packing.h"
#include "src/problem/rng.h"
#include "src/problem/scale_places.h"
#include "src/problem/shrink.h"

namespace assay {

inline Inputs draw_any_inputs(Rng& rng) {
  const auto any_format = [&] { return kAllFormats[rng.below(std::size(kAllFormats))]; };
  Inputs in(any_format());
  if (rng.chance(1, 4)) { in.b.format = any_format(); }
  constexpr const char* kScalings[] = {"tensor", "row", "block128", "mx", "1x16,8xall:e4m3"};
  const ScalingPair pair = *parse_scalings(kScalings[rng.below(std::size(kScalings))]);
  if (rng.chance(1, 2)) { return in; }
  if (traits(in.a.format).code) { in.a.scaling = pair.a; }
  if (traits(in.b.format).code) { in.b.scaling = pair.b; }
  return in;
}

inline CaseSpec draw_any_case(Rng& rng) {
  CaseSpec spec;
  spec.pass = kAllPasses[rng.below(3)];
  spec.in = draw_any_inputs(rng);
  spec.out = rng.pick(outputs_of(spec.in));
  spec.out.scaled = traits(spec.out).code && rng.chance(1, 2);
  if (spec.pass == Pass::kWgrad && spec.out == Format::kFp32) {
    spec.acc = static_cast<int>(rng.below(4));
  }
  if (may_have_bias(spec) && rng.chance(1, 3)) { spec.bias = kBiasFormats[rng.below(3)]; }
  spec.k = rng.between(1, rng.chance(1, 8) ? 300 : 40);
  spec.n = rng.between(1, rng.chance(1, 8) ? 300 : 40);
  for (Index experts = rng.between(1, 8); experts > 0; --experts) {
    spec.rows.push_back(rng.chance(1, 3) ? 0 : rng.between(0, rng.chance(1, 8) ? 200 : 20));
  }
  spec.offsets = rng.pick(all_offsets_kinds());
  spec.told = spec.offsets;
  const bool masked = spec.offsets.convention == Convention::kMasked;
  if (traits(spec.offsets.convention).expresses_gaps) { spec.pad = rng.between(1, 16); }
  if (masked && rng.chance(1, 2)) {
    spec.cap = *std::max_element(spec.rows.begin(), spec.rows.end()) + rng.between(0, 9);
  }
  if (!masked) { spec.tail = rng.chance(1, 2) ? 0 : rng.between(1, 9); }
  if (rng.chance(1, 4)) {
    spec.told = rng.pick(all_offsets_kinds());
    if (!check_case(spec)) { spec.told = spec.offsets; }
  }
  if (spec.offsets.convention == Convention::kProblems && spec.told == spec.offsets) {
    spec.pointers = static_cast<Pointers>(rng.below(spec.pass == Pass::kWgrad ? 2 : 3));
  }
  spec.weights = rng.chance(1, 2) ? WeightsLayout::kEnk : WeightsLayout::kEkn;
  spec.ld = {rng.below(3), rng.below(3), rng.below(3)};
  spec.wpitch = rng.below(3);
  spec.scale_pitch = rng.below(9);
  spec.scale_layout = rng.chance(1, 4) ? ScaleLayout::k32x4x4 : ScaleLayout::kStrided;
  spec.scale_starts = rng.chance(1, 2) ? ScaleStarts::kAligned : ScaleStarts::kCompact;
  settle_scale_words(spec);
  spec.base = {4 * rng.below(64), 4 * rng.below(64), 4 * rng.below(3)};
  spec.fill = kAllFills[rng.below(std::size(kAllFills))];
  spec.seed = rng.chance(1, 2) ? rng.next() : rng.next() % 100;
  if (rng.chance(1, 2)) { spec.tactic = rng.chance(1, 2) ? "m64" : "128x256:2.a-b+c_d"; }
  const Exec execs[] = {
      {}, {ExecKind::kGraph, 1}, {ExecKind::kStreams, 2}, {ExecKind::kThreads, 64}};
  spec.exec = execs[rng.below(4)];
  use_whole_bytes(spec);
  return spec;
}

// For RapidCheck: shrinks as the product does.
inline rc::Gen<CaseSpec> any_case() {
  return rc::Gen<CaseSpec>([](const rc::Random& random, int) {
    rc::Random source = random;
    Rng rng(source.next());
    return rc::shrinkable::shrinkRecur(draw_any_case(rng), [](const CaseSpec& failing) {
      return rc::seq::fromContainer(shrink_candidates(failing));
    });
  });
}

}  // namespace assay
