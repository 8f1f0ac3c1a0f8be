// Elements whose flat index does not fit 32 bits are read and written where they belong.
#include <algorithm>
#include <vector>

#include "properties/support/case_run.h"
#include "src/problem/convention.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

constexpr Index kBeyond = Index{1} << 31;

// What lies past a border: an element offset past 2^31 or 2^32, or one of bytes, which come first.
struct Beyond {
  Index pitch;              // elements from row to row, or from expert to expert
  std::vector<Index> rows;  // the groups; of w, its experts
};

// 2^28 elements a step: the ninth row or expert starts at 2^31, the seventeenth at 2^32.
constexpr Index kPitch = Index{1} << 28;
constexpr Index kStretches = 5, kOperands = 3;

// Groups that start past the border and have rows; last, rows of one expert on both sides of it.
Beyond stretch_of_rows(Index kind, Index element_bytes) {
  const std::vector<Index> past_eight = {8, 1, 0, 2}, past_sixteen = {16, 3, 0, 2};
  switch (kind) {
    case 0:
      return {kPitch, past_eight};
    case 1:
      return {kPitch, past_sixteen};
    case 2:
      return {kPitch, {20}};
    case 3:
      return {kPitch / element_bytes, past_eight};
    default:
      return {kPitch / element_bytes, past_sixteen};
  }
}

Beyond stretch_of_experts(Index kind, Index element_bytes) {
  Beyond beyond = stretch_of_rows(kind, element_bytes);
  // Empty ones between, for which nothing is computed, and the last one busy.
  beyond.rows.assign(kind == 0 || kind == 3 ? 11 : 20, 0);
  for (std::size_t expert = 0; expert < beyond.rows.size(); ++expert) {
    beyond.rows[expert] = static_cast<Index>(expert * 5 % 3);
  }
  beyond.rows.back() = 2;
  return beyond;
}

// Pitches, not data, carry the index past the border: a few resident pages in a sparse mapping.
void stretch(CaseSpec& spec, const Manifest& manifest, Index index) {
  constexpr Index kSide = 8;
  const Role role = kAllRoles[index % kOperands];
  const Index kind = index / kOperands % kStretches;
  const Index bytes = size_bytes(format_of(spec, role));
  const Beyond beyond =
      role == Role::kW ? stretch_of_experts(kind, bytes) : stretch_of_rows(kind, bytes);
  spec.k = align_up(kSide, manifest.k_multiple);
  spec.n = align_up(kSide, manifest.n_multiple);
  spec.rows = beyond.rows;
  (role == Role::kW ? spec.wpitch : spec.ld[role]) = beyond.pitch;
  if (role == Role::kW && kind == 2) {
    // Here the rows of one expert's weights are far apart.
    constexpr Index kTall = 24;
    spec.wpitch = 0;
    spec.ld.w = kPitch;
    spec.k = align_up(kTall, manifest.k_multiple);
    spec.n = align_up(kTall, manifest.n_multiple);
    spec.rows = {3};
  }
}

// The data themselves: rows*k, rows*n or experts*k*n elements that lie side by side, and a group
// with rows behind the last of 2^31.
void enlarge(CaseSpec& spec, const Manifest& manifest, Role role) {
  constexpr Index kWide = 8200, kNarrow = 8, kExperts = 8;
  spec.k = align_up(role == Role::kY ? kNarrow : kWide, manifest.k_multiple);
  spec.n = align_up(role == Role::kX ? kNarrow : kWide, manifest.n_multiple);
  if (role == Role::kW) {
    spec.rows.resize(static_cast<std::size_t>(kBeyond / (spec.k * spec.n) + 2));
    for (std::size_t e = 0; e < spec.rows.size(); ++e) { spec.rows[e] = (e + spec.seed) % 4; }
    spec.rows.back() = 3;
  } else {
    const Index rows = kBeyond / std::max(spec.k, spec.n) / kExperts + 1;
    spec.rows.assign(kExperts, rows);
    for (Index e = 0; e < kExperts; ++e) { spec.rows[e] += 7 * e; }
    spec.rows.push_back(5);
  }
  spec.acc = 0;
  const Format narrow = default_output(spec.in).value_or(spec.out);
  if (manifest.lists(spec.pass, spec.in, narrow)) { spec.out = narrow; }
  spec.fill = Fill::kSparse;  // outputs that a fingerprint can tell
}

bool is_dense(const CaseSpec& spec) {
  const Index rows = total_rows(spec);
  return rows * spec.k > kBeyond || rows * spec.n > kBeyond ||
         spec.experts() * spec.k * spec.n > kBeyond;
}

// A CPU has neither the memory nor the time for the data themselves; for a GPU a few will do: one
// of each operand first, then one case in nine.
bool has_the_data_themselves(const Manifest& manifest, Index index) {
  constexpr Index kEvery = 27;
  return manifest.device == "cuda" && index % kEvery < kOperands;
}

void enumerate(CaseSpec& spec, const Manifest& manifest, Index index) {
  constexpr Index kKinds = kOperands * kStretches;
  use_plain_execution(spec, manifest);
  spec.base = {};
  spec.tail = 0;
  spec.ld = {};
  spec.wpitch = 0;
  spec.pad = 1;
  spec.pointers = Pointers::kInOrder;  // the last expert is to lie farthest
  const Index round = index / kKinds;
  set_nth_pass(spec, manifest, index / kOperands % kStretches + round);
  use_plain_formats(spec, manifest);
  spec.offsets = spec.told = manifest.offsets[(index + round) % std::ssize(manifest.offsets)];
  // No fingerprint tells outputs of scaled inputs, or of 8 bits.
  const bool data =
      has_the_data_themselves(manifest, index) && !spec.in.scaled() && !traits(spec.out).code;
  data ? enlarge(spec, manifest, kAllRoles[index % kOperands]) : stretch(spec, manifest, index);
  const bool buffers = traits(spec.offsets.convention).has_buffers;
  spec.cap = buffers ? std::max<Index>(1, *std::ranges::max_element(spec.rows)) : 0;
}

std::optional<std::string> not_applicable(const Manifest& manifest) {
  if (!manifest.dense_strides || manifest.device == "cuda") { return std::nullopt; }
  return "the manifest's strides are dense, and 2^31 elements side by side are too many for a CPU";
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
    {.generator = "small", .seed = 111, .quick = 18, .ci = 60, .peers = 18, .full = 60},
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
          .not_applicable = not_applicable,
          .prepare = nullptr,
          .run = run,
          .holds = {.problems = 1, .outputs = 2},
          .enumerate = enumerate};
}

}  // namespace assay
