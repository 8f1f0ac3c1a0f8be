// Elements whose flat index does not fit 32 bits are read and written where they belong.
#include <algorithm>
#include <vector>

#include "properties/support/case_run.h"
#include "src/problem/convention.h"

namespace assay {
namespace {

constexpr Index kBeyond = Index{1} << 31;

// Pitches, not data, carry the index past 2^31: a few resident pages in a sparse mapping.
void stretch(CaseSpec& spec, const Manifest& manifest, std::uint64_t kind) {
  constexpr Index kPitch = Index{1} << 28;
  spec.k = std::max<Index>(manifest.k_multiple, 8);
  spec.n = std::max<Index>(manifest.n_multiple, 8);
  if (kind == 0) { spec.ld.x = kPitch; }
  if (kind == 1) { spec.ld.y = kPitch; }
  if (kind == 2) { spec.wpitch = kPitch; }
  spec.rows =
      kind == 2 ? std::vector<Index>{1, 0, 2, 0, 0, 1, 0, 1, 2, 1} : std::vector<Index>{4, 1, 0, 5};
}

// The data themselves: rows*k, rows*n or experts*k*n elements that lie side by side.
void enlarge(CaseSpec& spec, const Manifest& manifest, std::uint64_t kind) {
  const auto multiple = [](Index size, Index unit) { return (size + unit - 1) / unit * unit; };
  constexpr Index kWide = 8200, kNarrow = 8, kExperts = 8;
  spec.k = multiple(kind == 1 ? kNarrow : kWide, std::max<Index>(1, manifest.k_multiple));
  spec.n = multiple(kind == 0 ? kNarrow : kWide, std::max<Index>(1, manifest.n_multiple));
  if (kind == 2) {
    spec.rows.resize(static_cast<std::size_t>(kBeyond / (spec.k * spec.n) + 2));
    for (std::size_t e = 0; e < spec.rows.size(); ++e) { spec.rows[e] = (e + spec.seed) % 4; }
  } else {
    const Index rows = kBeyond / std::max(spec.k, spec.n) / kExperts + 1;
    spec.rows.assign(kExperts, rows);
    for (Index e = 0; e < kExperts; ++e) { spec.rows[e] += 7 * e; }
  }
  spec.acc = 0;
  spec.out = spec.in;
  spec.fill = Fill::kSparse;  // outputs that a fingerprint can tell
}

bool is_dense(const CaseSpec& spec) {
  const Index rows = total_rows(spec);
  return rows * spec.k > kBeyond || rows * spec.n > kBeyond ||
         spec.experts() * spec.k * spec.n > kBeyond;
}

void prepare(CaseSpec& spec, const Manifest& manifest) {
  use_plain_execution(spec, manifest);
  spec.base = {};
  spec.tail = 0;
  spec.ld = {};
  spec.wpitch = 0;
  spec.pad = 1;
  // A CPU has neither the memory nor the time for the data themselves; for a GPU a few will do.
  const bool dense = manifest.device == "cuda" && spec.seed % 27 < 3;
  dense ? enlarge(spec, manifest, spec.seed % 3) : stretch(spec, manifest, spec.seed % 3);
  if (traits(spec.offsets.convention).has_buffers) {
    spec.cap = std::max<Index>(5, *std::ranges::max_element(spec.rows));
  }
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  if (!is_dense(spec)) { return judge_case_whole(kernel, spec); }
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  Verdict verdict{.kind = VerdictKind::kPassed};
  const bool high = spec.seed / 27 % 2 == 1;
  const Outcome outcome = kernel.run(
      problem, {.placement = high ? Placement::kHigh : Placement::kLow, .operands_stay = true});
  if (accept_status(verdict, problem, manifest, outcome)) {
    judge_by_fingerprint(verdict, kernel, problem, outcome);
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 111, .quick = 4, .ci = 60, .peers = 12, .full = 60},
};

}  // namespace

Check indices_beyond_2_31() {
  return {.name = "indices_beyond_2_31",
          .summary =
              "Elements whose flat index does not fit 32 bits are read and written where they "
              "belong.",
          .guards_against =
              "int32 products of row and stride: rows*K, rows*N and E*K*N beyond 2^31 (kind "
              "J)",
          .advice =
              "An element offset was computed in 32 bits. Widen before the product, not after: "
              "rows * stride and expert * pitch are the usual places.",
          .order = 420,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = run,
          .holds = {.problems = 1, .outputs = 2}};
}

}  // namespace assay
