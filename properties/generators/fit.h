// What a manifest asks of rows, sizes and shapes, kept by cases that were drawn or prepared without
// a thought of it.
#pragma once

#include <vector>

#include "src/contract/manifest.h"
#include "src/problem/case_spec.h"

namespace assay {

// Brings the case within max_experts, max_rows, least_rows, row_multiple, total_rows_multiple and
// the multiples of k and n, and to one of a few shapes where the kernel is compiled for them. What
// the manifest asks nothing of stays as it is; strides, bases, formats and conventions always do.
// Counts stay ragged where the convention can tell gaps: what is missing is padding.
// `keeps_shape`: the shape is what the case is about.
void fit_to(CaseSpec& spec, const Manifest& manifest, bool keeps_shape = false);

// k and n as the pass's multiples and the formats' whole bytes ask.
void fit_widths(CaseSpec& spec, const Manifest& manifest);
// The part of it about experts and rows.
void fit_rows(CaseSpec& spec, const Manifest& manifest);
// The manifest for cases of which a check makes problems of `times` times the experts, or of one
// more: with a smaller max_experts, but at least 1.
Manifest with_room_for_experts(Manifest manifest, Index times);
// A bias for one case in four that may have one, by its seed; none where it may not.
void fit_bias(CaseSpec& spec, const Manifest& manifest);
// How scales lie becomes what the manifest lists; the default where there is nothing to choose.
void fit_scale_places(CaseSpec& spec, const Manifest& manifest);
// Or what it lists first.
void use_first_scale_places(CaseSpec& spec, const Manifest& manifest);
// And of that the part that says where experts lie: pad, cap and tail for the counts as they are.
void fit_places(CaseSpec& spec, const Manifest& manifest);

// What a kernel is compiled for, of those that its manifest lists; empty: for nothing.
std::vector<Index> compiled_shape(const CaseSpec& spec, const Manifest& manifest);

// Counts that every convention can tell under the manifest's row_multiple, without padding.
void make_rows_whole(CaseSpec& spec, const Manifest& manifest);

// Where an expert of `count` rows may be cut in two, at or below `cut`; 0: nowhere.
Index fit_cut(Index cut, Index count, const Manifest& manifest, Index multiple = 1);

// Gaps between rows, as large as `wanted` where strides may have any.
Index fit_gap(Index wanted, const Manifest& manifest);

}  // namespace assay
