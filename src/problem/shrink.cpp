#include "src/problem/shrink.h"

#include <algorithm>
#include <iterator>

#include "src/problem/case_text.h"
#include "src/problem/packing.h"
#include "src/problem/problem.h"
#include "src/problem/scale_places.h"

namespace assay {
namespace {

constexpr Index kManyExperts = 64;  // beyond, single experts are left to later rounds
constexpr std::uint64_t kOtherSeeds = 16;
constexpr int kMostRuns = 64;  // that one round empties

class Candidates {
 public:
  explicit Candidates(const CaseSpec& spec) : spec_(spec) {}

  // Adds the case with one change, unless it is the case itself or makes no sense.
  template <class Change>
  void add(const Change& change) {
    CaseSpec candidate = spec_;
    change(candidate);
    use_whole_bytes(candidate);
    settle_scale_words(candidate);
    // Another layout may ask for whole bytes of the other width.
    const bool wider = candidate.k > spec_.k || candidate.n > spec_.n;
    if (candidate != spec_ && !wider && check_case(candidate)) {
      found_.push_back(std::move(candidate));
    }
  }
  std::vector<CaseSpec> take() { return std::move(found_); }

 private:
  const CaseSpec& spec_;
  std::vector<CaseSpec> found_;
};

// Smaller values than `value`, the smallest first: least, tile-like multiples, and ever smaller
// steps down.
std::vector<Index> smaller_values(Index value, Index least) {
  std::vector<Index> values;
  if (value <= least) { return values; }
  values.push_back(least);
  for (Index step = value / 2; step >= 1; step /= 2) { values.push_back(value - step); }
  for (const Index tile : {8, 16, 32, 64, 128, 256}) {
    values.push_back((value - 1) / tile * tile);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  values.erase(values.begin(), std::lower_bound(values.begin(), values.end(), least));
  return values;
}

void drop_experts(Candidates& out, const CaseSpec& spec) {
  const Index experts = spec.experts();
  if (experts == 1) { return; }
  const bool many = experts > kManyExperts;
  for (Index kept = 0; kept < experts && !many; ++kept) {
    const Index rows = spec.rows[kept];
    if (rows > 0) {
      out.add([rows](CaseSpec& s) { s.rows = {rows}; });
    }
  }
  out.add([](CaseSpec& s) { std::erase(s.rows, 0); });
  // An expert's values depend on its number: a failure that needs rare values may need another seed
  // to show among fewer experts.
  const bool rare = !is_exact(spec.fill) && std::ranges::find(spec.rows, 0) != spec.rows.end();
  const std::uint64_t seeds = rare ? kOtherSeeds : std::min(spec.seed, kOtherSeeds);
  for (std::uint64_t seed = 0; !many && seed < seeds; ++seed) {
    out.add([seed](CaseSpec& s) {
      std::erase(s.rows, 0);
      s.seed = seed;
    });
  }
  for (Index length = experts / 2; length >= 1; length /= 2) {
    // Of many, only those at either end.
    const Index step = many ? experts - length : length;
    for (Index first = 0; first < experts; first += step) {
      out.add([=](CaseSpec& s) {
        const auto begin = s.rows.begin() + first;
        s.rows.erase(begin, begin + std::min(length, experts - first));
      });
    }
  }
}

// Half of the experts, a quarter, ... without rows: of a thousand few matter. Only runs with rows
// count towards the limit, so that the search gets finer as it gets on.
void empty_runs(Candidates& out, const CaseSpec& spec) {
  const Index experts = spec.experts();
  int left = kMostRuns;
  for (Index length = (experts + 1) / 2; left > 0; length = (length + 1) / 2) {
    for (Index first = 0; first < experts && left > 0; first += length) {
      const Index size = std::min(length, experts - first);
      const auto begin = spec.rows.begin() + first;
      if (std::all_of(begin, begin + size, [](Index rows) { return rows == 0; })) { continue; }
      out.add([=](CaseSpec& s) { std::fill_n(s.rows.begin() + first, size, Index{0}); });
      --left;
    }
    if (length == 1) { return; }
  }
}

void lower_rows(Candidates& out, const CaseSpec& spec) {
  for (const Index most : {Index{1}, Index{8}, Index{64}}) {
    out.add([most](CaseSpec& s) {
      for (Index& rows : s.rows) { rows = std::min(rows, most); }
    });
  }
  out.add([](CaseSpec& s) {
    for (Index& rows : s.rows) { rows /= 2; }
  });
  if (spec.experts() > kManyExperts) {
    empty_runs(out, spec);
    return;
  }
  for (std::size_t g = 0; g < spec.rows.size(); ++g) {
    for (const Index value : smaller_values(spec.rows[g], 0)) {
      out.add([g, value](CaseSpec& s) { s.rows[g] = value; });
    }
  }
}

void lower_widths(Candidates& out, const CaseSpec& spec) {
  for (const Index value : smaller_values(spec.k, 1)) {
    out.add([value](CaseSpec& s) { s.k = value; });
  }
  for (const Index value : smaller_values(spec.n, 1)) {
    out.add([value](CaseSpec& s) { s.n = value; });
  }
}

// Square weights stay square: some mistakes hide in any other shape.
void lower_square(Candidates& out, const CaseSpec& spec) {
  if (spec.k != spec.n) { return; }
  for (const Index value : smaller_values(spec.k, 1)) {
    out.add([value](CaseSpec& s) { s.k = s.n = value; });
  }
}

void drop_gaps(Candidates& out, const CaseSpec& spec) {
  for (const Index value : smaller_values(spec.tail, 0)) {
    out.add([value](CaseSpec& s) { s.tail = value; });
  }
  out.add([](CaseSpec& s) { s.cap = 0; });
  out.add([](CaseSpec& s) { s.pad = 1; });
  out.add([](CaseSpec& s) { s.pad = std::max<Index>(1, s.pad / 2); });
  out.add([](CaseSpec& s) { s.ld = {}; });
  out.add([](CaseSpec& s) { s.base = {}; });
  for (const Role role : {Role::kX, Role::kW, Role::kY}) {
    out.add([role](CaseSpec& s) { s.ld[role] = 0; });
    out.add([role](CaseSpec& s) { s.ld[role] /= 2; });
    out.add([role](CaseSpec& s) { s.base[role] = 0; });
    out.add([role](CaseSpec& s) { s.base[role] = s.base[role] / 2 / 16 * 16; });
  }
  out.add([](CaseSpec& s) { s.pointers = Pointers::kInOrder; });
  out.add([](CaseSpec& s) { s.pointers = std::min(s.pointers, Pointers::kScattered); });
  out.add([](CaseSpec& s) { s.wpitch = 0; });
  out.add([](CaseSpec& s) { s.scale_layout = ScaleLayout::kStrided; });
  out.add([](CaseSpec& s) { s.scale_starts = ScaleStarts::kCompact; });
  out.add([](CaseSpec& s) { s.scale_pitch = 0; });
  out.add([](CaseSpec& s) { s.scale_pitch = std::min<Index>(s.scale_pitch, 1); });
  out.add([](CaseSpec& s) { s.wpitch /= 2; });
}

void simplify_telling(Candidates& out) {
  out.add([](CaseSpec& s) { s.told = s.offsets; });
  const auto with_kind = [&out](const auto& change) {
    out.add([&change](CaseSpec& s) {
      const bool honest = s.told == s.offsets;
      change(s.offsets);
      if (honest) { s.told = s.offsets; }
    });
  };
  with_kind([](OffsetsKind& kind) { kind = {}; });
  with_kind([](OffsetsKind& kind) { kind.place = OffsetsPlace::kDevice; });
  with_kind([](OffsetsKind& kind) { kind = {kind.convention}; });
  out.add([](CaseSpec& s) { s.weights = WeightsLayout::kEnk; });
  out.add([](CaseSpec& s) { s.tactic = "default"; });
  out.add([](CaseSpec& s) { s.exec = {}; });
  out.add([](CaseSpec& s) { s.exec.count = std::max(1, s.exec.count / 2); });
}

void simplify_values(Candidates& out, const CaseSpec& spec) {
  if (spec.bias) {
    out.add([](CaseSpec& s) { s.bias.reset(); });
  }
  for (const Index value : smaller_values(spec.acc, 0)) {
    out.add([value](CaseSpec& s) { s.acc = static_cast<int>(value); });
  }
  out.add([](CaseSpec& s) {
    if (has_special_values(s.fill)) { s.fill = Fill::kSpecial; }
  });
  out.add([](CaseSpec& s) { s.fill = is_exact(s.fill) ? Fill::kIntegers : Fill::kNormal; });
  for (std::uint64_t seed = 0; seed < std::min<std::uint64_t>(spec.seed, 4); ++seed) {
    out.add([seed](CaseSpec& s) { s.seed = seed; });
  }
}

}  // namespace

std::vector<CaseSpec> shrink_candidates(const CaseSpec& spec) {
  Candidates out(spec);
  drop_experts(out, spec);
  lower_rows(out, spec);
  lower_widths(out, spec);
  lower_square(out, spec);
  drop_gaps(out, spec);
  simplify_telling(out);
  simplify_values(out, spec);
  return out.take();
}

}  // namespace assay
