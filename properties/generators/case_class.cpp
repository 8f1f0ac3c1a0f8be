// The registry of classes: one row a class.
#include "properties/generators/case_class.h"

#include <algorithm>
#include <numeric>

#include "src/problem/row_layout.h"

namespace assay {
namespace {

template <class Holds>
bool any_count(const CaseSpec& spec, Holds holds) {
  return std::ranges::any_of(spec.rows, holds);
}

// A count that misses a height of the tiles in use (32 to 256 rows), or twice it, by `miss` rows.
bool beside_tile_height(const CaseSpec& spec, Index miss) {
  return any_count(spec, [miss](Index rows) {
    for (const Index height : {32, 64, 128, 256}) {
      if (rows == height + miss || rows == 2 * height + miss) { return true; }
    }
    return false;
  });
}

bool has_multiple_of(const CaseSpec& spec, Index unit) {
  return any_count(spec, [unit](Index rows) { return rows > 0 && rows % unit == 0; });
}

bool beside_multiple_of(const CaseSpec& spec, Index unit) {
  return any_count(spec, [unit](Index rows) {
    return rows > 1 && (rows % unit == 1 || rows % unit == unit - 1);
  });
}

bool has_empty_run(const CaseSpec& spec, int length) {
  return std::search_n(spec.rows.begin(), spec.rows.end(), length, Index{0}) != spec.rows.end();
}

bool empty_in_the_middle(const CaseSpec& spec) {
  const auto busy = [](Index rows) { return rows > 0; };
  const auto first = std::ranges::find_if(spec.rows, busy);
  const auto last = std::find_if(spec.rows.rbegin(), spec.rows.rend(), busy).base();
  return first < last && std::find(first, last, Index{0}) != last;
}

bool one_takes_half(const CaseSpec& spec) {
  return spec.experts() > 1 && total_rows(spec) > 1 &&
         2 * *std::ranges::max_element(spec.rows) >= total_rows(spec);
}

bool experts_between(const CaseSpec& spec, Index least, Index most) {
  return spec.experts() >= least && spec.experts() <= most;
}

bool is_prime(Index number) {
  for (Index divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) { return false; }
  }
  return number > 1;
}

bool has_codes(const CaseSpec& spec) {
  return traits(spec.in.a.format).bits <= 8 || traits(spec.in.b.format).bits <= 8;
}

bool has_padding_rows(const CaseSpec& spec) {
  const RowLayout layout = lay_out_rows(spec);
  return layout.physical_rows - spec.tail > total_rows(spec);
}

template <Convention kConvention>
bool tells(const CaseSpec& spec) {
  return spec.offsets.convention == kConvention;
}
template <Fill kFill>
bool filled_with(const CaseSpec& spec) {
  return spec.fill == kFill;
}

using Spec = const CaseSpec&;
const CaseClass kClasses[] = {
    {"routing", "one expert takes half the rows", one_takes_half},
    {"routing", "first expert empty", [](Spec s) { return s.rows.front() == 0; }},
    {"routing", "last expert empty", [](Spec s) { return s.rows.back() == 0; }},
    {"routing", "empty between busy ones", empty_in_the_middle},
    {"routing", "run of 2 empty experts", [](Spec s) { return has_empty_run(s, 2); }},
    {"routing", "run of 8 empty experts", [](Spec s) { return has_empty_run(s, 8); }},
    {"routing", "no rows at all", [](Spec s) { return total_rows(s) == 0; }},
    {"experts", "1 expert", [](Spec s) { return s.experts() == 1; }},
    {"experts", "2 experts", [](Spec s) { return s.experts() == 2; }},
    {"experts", "31 to 33 experts", [](Spec s) { return experts_between(s, 31, 33); }},
    {"experts", "127 to 129 experts", [](Spec s) { return experts_between(s, 127, 129); }},
    {"experts", "1023 to 1025 experts", [](Spec s) { return experts_between(s, 1023, 1025); }},
    {"counts", "expert of 1 row",
     [](Spec s) { return any_count(s, [](Index m) { return m == 1; }); }},
    {"counts", "expert of 2 or 3 rows",
     [](Spec s) { return any_count(s, [](Index m) { return m == 2 || m == 3; }); }},
    {"counts", "at a tile height", [](Spec s) { return beside_tile_height(s, 0); }},
    {"counts", "a row short of a tile height", [](Spec s) { return beside_tile_height(s, -1); }},
    {"counts", "a row over a tile height", [](Spec s) { return beside_tile_height(s, 1); }},
    {"counts", "multiple of 8", [](Spec s) { return has_multiple_of(s, 8); }},
    {"counts", "beside a multiple of 8", [](Spec s) { return beside_multiple_of(s, 8); }},
    {"counts", "multiple of 16", [](Spec s) { return has_multiple_of(s, 16); }},
    {"counts", "beside a multiple of 16", [](Spec s) { return beside_multiple_of(s, 16); }},
    {"counts", "multiple of 128", [](Spec s) { return has_multiple_of(s, 128); }},
    {"counts", "beside a multiple of 128", [](Spec s) { return beside_multiple_of(s, 128); }},
    {"shape", "K prime", [](Spec s) { return is_prime(s.k); }},
    {"shape", "N prime", [](Spec s) { return is_prime(s.n); }},
    {"shape", "K multiple of 8", [](Spec s) { return s.k % 8 == 0; }},
    {"shape", "N multiple of 8", [](Spec s) { return s.n % 8 == 0; }},
    {"shape", "K = 1", [](Spec s) { return s.k == 1; }},
    {"shape", "N = 1", [](Spec s) { return s.n == 1; }},
    {"shape", "K = N", [](Spec s) { return s.k == s.n && s.k > 1; }},
    {"memory", "base off 256 bytes",
     [](Spec s) { return s.base.x != 0 || s.base.w != 0 || s.base.y != 0; }},
    {"memory", "gaps between rows",
     [](Spec s) { return s.ld.x != 0 || s.ld.w != 0 || s.ld.y != 0; }},
    {"memory", "gaps between experts", [](Spec s) { return s.wpitch != 0; }},
    {"memory", "scales by columns", [](Spec s) { return s.scale_pitch > 0; }},
    {"memory", "scales in tiles", [](Spec s) { return s.scale_layout == ScaleLayout::k32x4x4; }},
    {"memory", "tail rows", [](Spec s) { return s.tail > 0; }},
    {"memory", "padding rows", has_padding_rows},
    {"memory", "experts in any order", [](Spec s) { return s.pointers != Pointers::kInOrder; }},
    {"memory", "weights of two experts", [](Spec s) { return s.pointers == Pointers::kShared; }},
// clang-format off
#define ASSAY_ROW(NAME, ABI) {"convention", name(Convention::k##NAME), tells<Convention::k##NAME>},
    ASSAY_CONVENTIONS(ASSAY_ROW)
#undef ASSAY_ROW
    // clang-format on
    {"pass", "fwd", [](Spec s) { return s.pass == Pass::kFwd; }},
    {"pass", "dgrad", [](Spec s) { return s.pass == Pass::kDgrad; }},
    {"pass", "wgrad", [](Spec s) { return s.pass == Pass::kWgrad && s.acc == 0; }},
    {"pass", "wgrad, accumulating", [](Spec s) { return s.pass == Pass::kWgrad && s.acc > 0; }},
    {"format", "bf16 in", [](Spec s) { return s.in == Format::kBf16; }},
    {"format", "fp16 in", [](Spec s) { return s.in == Format::kFp16; }},
    {"format", "fp32 in", [](Spec s) { return s.in == Format::kFp32; }},
    {"codes", "8 or 4 bits in", has_codes},
    {"codes", "outputs of 8 bits", [](Spec s) { return traits(s.out).code; }},
    {"codes", "inputs with scales", [](Spec s) { return s.in.scaled(); }},
    {"format", "a bias", [](Spec s) { return s.bias.has_value(); }},
    {"format", "16 bits out", [](Spec s) { return size_bytes(s.out) == 2; }},
    {"format", "fp32 out", [](Spec s) { return s.out == Format::kFp32; }},
    {"weights", "enk", [](Spec s) { return s.weights == WeightsLayout::kEnk; }},
    {"weights", "ekn", [](Spec s) { return s.weights == WeightsLayout::kEkn; }},
    {"fill", "integers", filled_with<Fill::kIntegers>},
    {"fill", "anchored", filled_with<Fill::kAnchored>},
    {"fill", "coded", filled_with<Fill::kCoded>},
    {"fill", "normal", filled_with<Fill::kNormal>},
    {"fill", "positive", filled_with<Fill::kPositive>},
    {"fill", "lognormal", filled_with<Fill::kLognormal>},
    {"fill", "cancelling", filled_with<Fill::kCancelling>},
    {"fill", "special", filled_with<Fill::kSpecial>},
    {"fill", "sparse", filled_with<Fill::kSparse>},
    {"fill", "equal", filled_with<Fill::kEqual>},
    {"fill", "extreme", filled_with<Fill::kExtreme>},
};

}  // namespace

std::span<const CaseClass> all_case_classes() { return kClasses; }

}  // namespace assay
