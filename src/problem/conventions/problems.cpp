// problems: (M, N, K) of each expert's product, and a pointer to its first row. `values` are the
// first rows, from which the harness makes the pointers.
#include "src/problem/conventions/rows.h"
#include "src/problem/operation.h"

namespace assay {
namespace {

constexpr OffsetsKind kKinds[] = {{Convention::kProblems}};
constexpr Index kOfTriple = 3;

struct Triple {
  Axis axes[kOfTriple];
};
Triple triple_of(const OffsetsFrame& frame) {
  const Operation& op = operation(frame.pass);
  return {{op.m(), op.n(), op.depth()}};
}

// The counts of rows that whole triples hold.
std::vector<Index> counts_of(const std::vector<Index>& sizes, const OffsetsFrame& frame) {
  const Triple triple = triple_of(frame);
  std::vector<Index> counts;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (triple.axes[i % kOfTriple] == Axis::kRows) { counts.push_back(sizes[i]); }
  }
  return counts;
}

Index experts(const OffsetArrays& arrays) { return length(arrays.sizes) / kOfTriple; }

Index rows(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  return rows_reached(arrays.values, counts_of(arrays.sizes, frame));
}

void encode(const RowLayout& layout, const OffsetsFrame& frame, OffsetArrays& arrays) {
  arrays.values = layout.starts;
  const Triple triple = triple_of(frame);
  for (const Index count : layout.counts) {
    const AxisSizes sizes{.rows = count, .k = frame.k, .n = frame.n};
    for (const Axis axis : triple.axes) { arrays.sizes.push_back(sizes[axis]); }
  }
}

Status check_triples(const std::vector<Index>& sizes, const OffsetsFrame& frame) {
  constexpr std::string_view kNames[] = {"M", "N", "K"};
  const Triple triple = triple_of(frame);
  const AxisSizes wanted{.rows = -1, .k = frame.k, .n = frame.n};  // -1: any value
  for (Index i = 0; i < length(sizes); ++i) {
    const Index expected = wanted[triple.axes[i % kOfTriple]];
    if (expected >= 0 && sizes[at(i)] != expected) {
      return refuse_entry("problems[{}].{} = {}, the case has {}", i / kOfTriple,
                          kNames[i % kOfTriple], sizes[at(i)], expected);
    }
  }
  return {};
}

// Pointers lead anywhere, in any order; but two experts never have a row together.
Status check_places(const std::vector<Index>& starts, const std::vector<Index>& counts,
                    const OffsetsFrame& frame) {
  const RowLayout layout{starts, counts, frame.physical_rows};
  Index end = 0, before = 0;
  for (const Index g : experts_in_place(layout)) {
    const Index start = starts[at(g)], count = counts[at(g)];
    if (start > frame.physical_rows || count > frame.physical_rows - start) {
      return refuse_entry("first rows[{}] = {} with {} rows is past the {} rows", g, start, count,
                          frame.physical_rows);
    }
    if (count == 0) { continue; }
    if (start < end) {
      return refuse_entry("first rows[{}] = {} is below {}, the end of group {}: groups overlap", g,
                          start, end, before);
    }
    end = start + count;
    before = g;
  }
  return {};
}

Status validate(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  ASSAY_TRY(check_length("problems", arrays.sizes, kOfTriple * frame.experts,
                         "(M, N, K) for each expert"));
  ASSAY_TRY(check_length("first rows", arrays.values, frame.experts, "one for each expert"));
  ASSAY_TRY(check_range("problems", arrays.sizes, IndexType::kI32, 0));
  ASSAY_TRY(check_range("first rows", arrays.values, IndexType::kI64, 0));
  ASSAY_TRY(check_triples(arrays.sizes, frame));
  return check_places(arrays.values, counts_of(arrays.sizes, frame), frame);
}

RowLayout decode(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  return {arrays.values, counts_of(arrays.sizes, frame), frame.physical_rows};
}

}  // namespace

const ConventionTraits kProblemsTraits = {
    .name = "problems",
    .forms = "problems",
    .meaning = "(M, N, K) of each expert, and pointers",
    .example = "(M,N,K) each",
    .reading = "with pointer arrays",
    .users = "CUTLASS, cuBLAS grouped",
    .kinds = kKinds,
    .expresses_gaps = true,
    .counts_only = true,
    .by_pointers = true,
    .sizes = "M,N,K of each expert",
    .needs = "pointer arrays",
    .experts = experts,
    .rows = rows,
    .encode = encode,
    .validate = validate,
    .decode = decode,
    .misread = nullptr,
};

}  // namespace assay
