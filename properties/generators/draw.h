// What generators share: the frame of a case drawn from a manifest, and sizes that respect its
// multiples.
#pragma once

#include <vector>

#include "src/contract/manifest.h"
#include "src/problem/case_spec.h"
#include "src/problem/rng.h"

namespace assay {

inline constexpr Index kSmallProducts = 64 * 1024;  // multiply-adds of a small case

// Pass, formats, layout, convention, accumulation, fill, tactic and seed; rows, k and n are left to
// the generator. One case in 16 is drawn outside the manifest where it can be, to see that it is
// refused.
CaseSpec draw_frame(Rng& rng, const Manifest& manifest);
// Whether draw_frame draws such a case from a generator in this state.
bool draws_outside(Rng rng);

// A size in [least, most] that is a multiple of `multiple` (at least one multiple).
Index draw_size(Rng& rng, Index least, Index most, Index multiple);
// The nearest smaller multiple, at least one.
Index to_multiple(Index size, Index multiple);

// Sets k and n at random so that no more than `products` multiply-adds are made over `rows` rows.
void draw_k_and_n(CaseSpec& spec, Rng& rng, const Manifest& manifest, Index products);
// Cuts rows evenly until the case has no more than `products` multiply-adds.
void limit_products(CaseSpec& spec, Index products);
// For checks that make many calls of each case: as wide as small cases are, at most.
void keep_narrow(CaseSpec& spec);

// Real values whose reduction is long prove little: those of one sign keep their meaning.
void settle_fill(CaseSpec& spec);
// One of the pads, or a small multiple of a declared row_multiple.
Index draw_pad(Rng& rng, const std::vector<Index>& pads, const Manifest& manifest);

// Makes rows, pad, cap and tail agree with the convention (cap holds the largest count, pad where
// gaps are possible).
void settle_layout(CaseSpec& spec, Rng& rng, const Manifest& manifest);

}  // namespace assay
