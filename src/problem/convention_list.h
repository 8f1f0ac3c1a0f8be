// The offset conventions: each has a row of traits, kNAMETraits, in conventions/.
#pragma once

// clang-format off
// A line a convention, in the order of the ABI's enumerators: NAME, and X of ASSAY_OFFSETS_X.
#define ASSAY_CONVENTIONS(row)    \
  row(Ends, ENDS)                 \
  row(Starts, STARTS)             \
  row(Indptr, INDPTR)             \
  row(Counts, COUNTS)             \
  row(RowIds, ROW_IDS)            \
  row(Masked, MASKED)             \
  row(PaddedEnds, PADDED_ENDS)    \
  row(Problems, PROBLEMS)
// clang-format on
