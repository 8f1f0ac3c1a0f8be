// Offsets of one convention read as those of another.
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "src/diagnosis/hypotheses/images.h"
#include "src/diagnosis/hypotheses/operands.h"
#include "src/diagnosis/hypotheses/table.h"
#include "src/problem/convention.h"

namespace assay {
namespace {

// Rows [first, last) of the physical operands, of each expert. A row of several is what the last of
// them writes, or the first.
struct Extents {
  std::vector<Index> first, last;
  bool first_stays = false;
};

// Reads the arrays as a kernel does that takes another convention: nothing is checked.
std::optional<Extents> misread(const OffsetArrays& arrays, Convention as,
                               const OffsetsFrame& frame) {
  const auto experts = static_cast<std::size_t>(frame.experts);
  // Of one expert every reading looks like any other.
  if (arrays.values.size() < experts || experts < 2) { return std::nullopt; }
  Extents extents;
  for (const RowRange& rows : traits(as).misread(arrays.values, frame)) {
    const Index first = std::clamp<Index>(rows.first, 0, frame.physical_rows);
    extents.first.push_back(first);
    extents.last.push_back(std::clamp<Index>(rows.last, first, frame.physical_rows));
  }
  return extents;
}

// The expert and its row at each physical row; expert -1 in padding and tail.
struct RowOwner {
  Index expert = -1, row = 0;
};
std::vector<RowOwner> owners_of(const RowLayout& layout) {
  std::vector<RowOwner> owners(static_cast<std::size_t>(layout.physical_rows));
  for (std::size_t g = 0; g < layout.starts.size(); ++g) {
    for (Index row = 0; row < layout.counts[g]; ++row) {
      owners[static_cast<std::size_t>(layout.starts[g] + row)] = {static_cast<Index>(g), row};
    }
  }
  return owners;
}

// Outputs with rows: a row gets the weights of the expert that claims it; a row that none claims
// stays as it was.
std::vector<ClaimedPart> rows_under(const Evidence& evidence, const Extents& extents,
                                    const std::vector<RowOwner>& owners) {
  std::vector<Index> claimed_by(owners.size(), -1);
  for (std::size_t i = 0; i < extents.first.size(); ++i) {
    const std::size_t g = extents.first_stays ? extents.first.size() - 1 - i : i;
    std::fill(claimed_by.begin() + extents.first[g], claimed_by.begin() + extents.last[g],
              static_cast<Index>(g));
  }
  std::vector<ClaimedPart> parts;
  for (std::size_t at = 0; at < owners.size();) {
    std::size_t end = at + 1;
    while (end < owners.size() && owners[end].expert == owners[at].expert &&
           claimed_by[end] == claimed_by[at]) {
      ++end;
    }
    const RowOwner owner = owners[at];
    const auto rows = static_cast<Index>(end - at);
    const Index by = claimed_by[at];
    at = end;
    if (owner.expert < 0) { continue; }
    ClaimedPart part =
        rows_part(evidence, owner.expert, owner.row, rows,
                  by < 0 ? ClaimedPart::Kind::kUnwritten : ClaimedPart::Kind::kValue);
    if (by >= 0) { part.product.b = evidence.product(by).b; }
    parts.push_back(std::move(part));
  }
  return parts;
}

// Outputs that sum rows: an expert's gradient sums the rows that it claims; poisoned ones among
// them leave nothing finite.
std::vector<ClaimedPart> gradients_under(const Evidence& evidence, const Extents& extents,
                                         const std::vector<RowOwner>& owners) {
  const Problem& problem = evidence.problem;
  std::vector<ClaimedPart> parts;
  for (Index g = 0; g < evidence.experts(); ++g) {
    const Index first = extents.first[g];
    const Index last = extents.last[g];
    const bool poisoned = std::any_of(owners.begin() + first, owners.begin() + last,
                                      [](const RowOwner& owner) { return owner.expert < 0; });
    ClaimedPart part =
        whole_part(evidence, g, poisoned ? ClaimedPart::Kind::kTainted : ClaimedPart::Kind::kValue);
    const auto set = [&](oracle::Matrix& matrix, const DenseOperand& operand, Index row) {
      matrix.data = operand.element(row, 0);
    };
    if (!poisoned && first < last) {
      const RowOwner owner = owners[first];
      const Index row = problem.dense_starts[owner.expert] + owner.row;
      const Operation& op = operation(problem.spec.pass);
      set(part.product.a, problem.operands[op.a.role], row);
      set(part.product.b, problem.operands[op.b.role], row);
    }
    part.product.a.cols = last - first;
    part.product.b.rows = last - first;
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<ClaimedPart> parts_under(const Evidence& evidence, const Extents& extents) {
  const std::vector<RowOwner> owners = owners_of(evidence.problem.layout);
  return reduces_over_rows(evidence) ? gradients_under(evidence, extents, owners)
                                     : rows_under(evidence, extents, owners);
}

// Each 64-bit entry read as two 32-bit ones, the low half first.
void propose_wide_as_narrow(const Evidence& evidence, std::vector<Claim>& claims) {
  const OffsetArrays& arrays = evidence.problem.offsets;
  if (arrays.kind.type != IndexType::kI64) { return; }
  const auto halves = [](const std::vector<Index>& wide) {
    std::vector<Index> narrow;
    for (const Index value : wide) {
      narrow.push_back(static_cast<std::int32_t>(value & 0xffffffff));
      narrow.push_back(value >> 32);
    }
    narrow.resize(wide.size());
    return narrow;
  };
  OffsetArrays narrow = arrays;
  narrow.values = halves(arrays.values);
  narrow.sizes = halves(arrays.sizes);
  if (traits(arrays.kind.convention).misread == nullptr) { return; }
  auto extents = misread(narrow, arrays.kind.convention, frame_of(evidence.problem.spec));
  if (!extents) { return; }
  if (traits(arrays.kind.convention).has_sizes()) {
    for (std::size_t g = 0; g < extents->first.size(); ++g) {
      extents->last[g] = std::clamp<Index>(extents->first[g] + narrow.sizes[g], extents->first[g],
                                           evidence.problem.layout.physical_rows);
    }
  }
  claims.push_back({.key = "i64 as i32",
                    .sentence = "64-bit offsets are read as 32-bit ones",
                    .parts = parts_under(evidence, *extents)});
}

// As many rows as another expert has; one that has no such neighbour takes none, or its own.
std::vector<Index> shifted_counts(const RowLayout& layout, bool next, bool keeps_own) {
  std::vector<Index> counts = layout.counts;
  const auto experts = std::ssize(counts);
  for (Index g = 0; g < experts; ++g) {
    const Index from = next ? g + 1 : g - 1;
    const bool exists = from >= 0 && from < experts;
    if (!exists && keeps_own) { continue; }
    counts[static_cast<std::size_t>(g)] =
        exists ? layout.counts[static_cast<std::size_t>(from)] : 0;
  }
  return counts;
}

// Right starts, but as many rows as another expert has. Where extents overlap it depends on the
// order of the tiles whose rows stay.
void propose_shifted_sizes(const Evidence& evidence, std::vector<Claim>& claims) {
  const RowLayout& layout = evidence.problem.layout;
  if (layout.starts.size() < 2) { return; }
  for (const int variant : {0, 1, 2, 3, 4, 5, 6, 7}) {
    const bool next = variant % 2 == 0, keeps_own = variant / 2 % 2 == 1;
    Extents extents{layout.starts, layout.starts, variant / 4 == 1};
    const std::vector<Index> counts = shifted_counts(layout, next, keeps_own);
    for (std::size_t g = 0; g < counts.size(); ++g) {
      extents.first[g] = std::min(extents.first[g], layout.physical_rows);
      extents.last[g] = std::min(extents.first[g] + counts[g], layout.physical_rows);
    }
    claims.push_back({.key = fmt::format("sizes {} {}", next ? "+1" : "-1", variant / 2),
                      .sentence = fmt::format("each expert takes as many rows as the {} has",
                                              next ? "next expert" : "expert before"),
                      .parts = parts_under(evidence, extents)});
  }
}

}  // namespace

void propose_convention_mixups(const Evidence& evidence, std::vector<Claim>& claims) {
  const OffsetArrays& arrays = evidence.problem.offsets;
  const OffsetsFrame frame = frame_of(evidence.problem.spec);
  const RowLayout& layout = evidence.problem.layout;
  const auto unchanged = [&](const Extents& extents) {
    for (std::size_t g = 0; g < extents.first.size(); ++g) {
      const bool same_count = extents.last[g] - extents.first[g] == layout.counts[g];
      if (!same_count || (layout.counts[g] > 0 && extents.first[g] != layout.starts[g])) {
        return false;
      }
    }
    return true;
  };
  std::vector<Convention> readings(std::begin(kAllConventions), std::end(kAllConventions));
  // Of readings that come to the same, the one that the kernel was told is named.
  std::stable_partition(readings.begin(), readings.end(),
                        [&](Convention as) { return as == evidence.problem.spec.told.convention; });
  for (const Convention as : readings) {
    if (as == arrays.kind.convention || traits(as).misread == nullptr) { continue; }
    // Row ids and problems are not arrays of offsets: only a kernel that was told so reads them
    // thus.
    const bool no_offsets = traits(arrays.kind.convention).misread == nullptr;
    if (no_offsets && as != evidence.problem.spec.told.convention) { continue; }
    if (traits(as).has_buffers && frame.cap == 0) { continue; }
    const auto extents = misread(arrays, as, frame);
    if (!extents || unchanged(*extents)) { continue; }
    claims.push_back({.key = fmt::format("{} as {}", name(arrays.kind.convention), name(as)),
                      .sentence = fmt::format("the offsets hold {}, the kernel reads them as {}",
                                              name(arrays.kind.convention), name(as)),
                      .parts = parts_under(evidence, *extents)});
  }
  propose_wide_as_narrow(evidence, claims);
}

namespace {

constexpr Index kRoundings[] = {2, 4, 8, 16, 32, 64, 128, 256};

// Of the physical rows as they lie, padding between them.
std::vector<ClaimedPart> physical_gradients_under(const Evidence& evidence,
                                                  const Extents& extents) {
  const Problem& problem = evidence.problem;
  const Operation& op = operation(problem.spec.pass);
  const bool clear = evidence.manifest.padding_input == PaddingInput::kZeros;
  const auto image_of = [&](Role role) {
    const Index cols = problem.operands[role].cols;
    return std::make_shared<const Image>(image_of_rows(
        problem, role, {.rows = problem.layout.physical_rows, .cols = cols, .row_pitch = cols},
        clear));
  };
  const auto a = image_of(op.a.role), b = image_of(op.b.role);
  std::vector<ClaimedPart> parts;
  for (Index g = 0; g < evidence.experts(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    ClaimedPart part = whole_part(evidence, g, ClaimedPart::Kind::kValue);
    const auto start = [&](const Image& image, const oracle::Matrix& matrix, Role role) {
      return image.data() + extents.first[at] * problem.operands[role].cols *
                                oracle::shape(matrix.format).size_bytes;
    };
    part.product.a.data = start(*a, part.product.a, op.a.role);
    part.product.b.data = start(*b, part.product.b, op.b.role);
    part.product.a.cols = part.product.b.rows = extents.last[at] - extents.first[at];
    part.memory = a;
    part.storage.push_back(b);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

void propose_rounded_starts(const Evidence& evidence, std::vector<Claim>& claims) {
  const Problem& problem = evidence.problem;
  const RowLayout& layout = problem.layout;
  const Index widest = std::max(problem.spec.k, problem.spec.n);
  if (layout.physical_rows * widest > kMaxImageElements) { return; }
  for (const Index multiple : kRoundings) {
    for (const bool same_count : {true, false}) {
      Extents extents{layout.starts, layout.starts};
      bool changed = false;
      for (std::size_t g = 0; g < layout.starts.size(); ++g) {
        const Index start = std::min(layout.starts[g], layout.physical_rows);
        extents.first[g] = start / multiple * multiple;
        extents.last[g] = (same_count ? extents.first[g] : start) + layout.counts[g];
        changed = changed || (layout.counts[g] > 0 && extents.first[g] != start);
      }
      if (!changed) { continue; }
      claims.push_back(
          {.key = fmt::format("{} {}", multiple, same_count ? "count" : "end"),
           .sentence = fmt::format("an expert's first row is rounded down to a multiple of {}{}",
                                   multiple, same_count ? "" : ", its last row is not"),
           .parts = reduces_over_rows(evidence) ? physical_gradients_under(evidence, extents)
                                                : parts_under(evidence, extents)});
    }
  }
}

void propose_shifted_experts(const Evidence& evidence, std::vector<Claim>& claims) {
  const RowLayout& layout = evidence.problem.layout;
  const Index experts = evidence.experts();
  if (experts < 2) { return; }
  propose_shifted_sizes(evidence, claims);
  for (const Index shift : {1, -1}) {
    Extents extents{std::vector<Index>(experts), std::vector<Index>(experts)};
    for (Index g = 0; g < experts; ++g) {
      const Index from = g + shift;
      if (from < 0 || from >= experts) { continue; }
      extents.first[g] = layout.starts[from];
      extents.last[g] = layout.starts[from] + layout.counts[from];
    }
    claims.push_back({.key = fmt::format("{:+}", shift),
                      .sentence = fmt::format("each expert takes the rows of the {}",
                                              shift > 0 ? "next expert" : "expert before"),
                      .parts = parts_under(evidence, extents)});
  }
}

}  // namespace assay
