// CaseSpec: everything that determines one test. Its text form (case_text.h) is the only spelling
// of a case: command line, corpus file, failure line, report and certificate all use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/index.h"
#include "src/problem/convention_list.h"
#include "src/problem/format.h"
#include "src/problem/inputs.h"
#include "src/problem/operation.h"
#include "src/problem/output.h"

namespace assay {

#define ASSAY_ROW(NAME, ABI) k##NAME,
enum class Convention : std::uint8_t { ASSAY_CONVENTIONS(ASSAY_ROW) };
#undef ASSAY_ROW
enum class IndexType : std::uint8_t { kI32, kI64 };
enum class OffsetsPlace : std::uint8_t { kDevice, kHost };
enum class WeightsLayout : std::uint8_t { kEnk, kEkn };
enum class Fill : std::uint8_t {
  kIntegers,
  kAnchored,
  kCoded,
  kNormal,
  kPositive,
  kLognormal,
  kCancelling,
  kSpecial,
  kSparse,
  kEqual,
  kExtreme
};
// Where the pointers of a convention that has some lead: experts lie one after another; in any
// order and apart; or, besides, some experts have one matrix of weights together.
enum class Pointers : std::uint8_t { kInOrder, kScattered, kShared };
// How scales lie: by strides, or in tiles of 32_4_4; and where each expert's blocks of several rows
// begin: after those of the experts before, or where its rows do.
enum class ScaleLayout : std::uint8_t { kStrided, k32x4x4 };
enum class ScaleStarts : std::uint8_t { kCompact, kAligned };
enum class ExecKind : std::uint8_t { kPlain, kGraph, kStreams, kThreads };

#define ASSAY_ROW(NAME, ABI) Convention::k##NAME,
inline constexpr Convention kAllConventions[] = {ASSAY_CONVENTIONS(ASSAY_ROW)};
#undef ASSAY_ROW
inline constexpr WeightsLayout kAllWeightsLayouts[] = {WeightsLayout::kEnk, WeightsLayout::kEkn};
inline constexpr ScaleLayout kAllScaleLayouts[] = {ScaleLayout::kStrided, ScaleLayout::k32x4x4};
inline constexpr ScaleStarts kAllScaleStarts[] = {ScaleStarts::kCompact, ScaleStarts::kAligned};
inline constexpr Fill kAllFills[] = {Fill::kIntegers,   Fill::kAnchored, Fill::kCoded,
                                     Fill::kNormal,     Fill::kPositive, Fill::kLognormal,
                                     Fill::kCancelling, Fill::kSpecial,  Fill::kSparse,
                                     Fill::kEqual,      Fill::kExtreme};

template <class T>
struct PerOperand {
  T x{}, w{}, y{};
  T& operator[](Role role) { return role == Role::kX ? x : role == Role::kW ? w : y; }
  const T& operator[](Role role) const { return role == Role::kX ? x : role == Role::kW ? w : y; }
  friend bool operator==(const PerOperand&, const PerOperand&) = default;
};

// A convention with the type and place of its arrays, as `ends`, `indptr:i64`, `counts:i64:host`.
struct OffsetsKind {
  Convention convention = Convention::kEnds;
  IndexType type = IndexType::kI32;
  OffsetsPlace place = OffsetsPlace::kDevice;
  friend bool operator==(const OffsetsKind&, const OffsetsKind&) = default;
};

struct Exec {
  ExecKind kind = ExecKind::kPlain;
  int count = 1;  // streams or threads
  friend bool operator==(const Exec&, const Exec&) = default;
};

struct CaseSpec {
  Pass pass = Pass::kFwd;
  Inputs in;
  Output out;
  int acc = 0;  // times the kernel adds into C; 0: it overwrites
  // Format of the bias [experts, n], whose row g is added to every output row of expert g.
  std::optional<Format> bias{};
  Index k = 0;
  Index n = 0;
  std::vector<Index> rows;  // real rows of each expert, generators expanded
  OffsetsKind offsets;      // what the arrays hold
  OffsetsKind told;         // what the kernel is told that they hold
  Index pad = 1;            // every expert starts at a multiple of this
  Index cap = 0;   // masked: rows of each expert's buffer; 0: the largest count, at least 1
  Index tail = 0;  // rows after the last expert
  WeightsLayout weights = WeightsLayout::kEnk;
  PerOperand<Index> ld;    // extra elements between rows
  Index wpitch = 0;        // extra elements between experts' weights
  PerOperand<Index> base;  // bytes by which a base pointer misses 256-byte alignment
  // Scales of x and y lie row by row: 0; else column by column, a multiple of this apart.
  Index scale_pitch = 0;
  // What they come to: scale_layout_of, scale_starts_of.
  ScaleLayout scale_layout = ScaleLayout::kStrided;
  ScaleStarts scale_starts = ScaleStarts::kCompact;
  Pointers pointers = Pointers::kInOrder;
  Fill fill = Fill::kIntegers;
  std::uint64_t seed = 0;
  std::string tactic = "default";
  Exec exec;

  Index experts() const { return static_cast<Index>(rows.size()); }
  friend bool operator==(const CaseSpec&, const CaseSpec&) = default;
};

std::string_view name(Pass pass);
std::string_view name(Convention convention);
std::string_view name(WeightsLayout layout);
std::string_view name(Pointers pointers);
std::string_view name(ScaleLayout layout);
std::string_view name(ScaleStarts starts);
std::string_view name(Fill fill);
std::string_view name(Role role);
std::string name(const OffsetsKind& kind);

// The operand's elements: spec.out of the output, spec.in has the others.
Format format_of(const CaseSpec& spec, Role role);
// The axes' sizes for an expert of `rows` rows.
inline AxisSizes axis_sizes(const CaseSpec& spec, Index rows) {
  return {.rows = rows, .k = spec.k, .n = spec.n};
}
// k or n: the axis of the operand whose neighbours adjoin in memory.
Axis contiguous_axis(const CaseSpec& spec, Role role);
// True where the case may add into its output (acc).
bool may_accumulate(const CaseSpec& spec);
// True where it may have a bias of such elements: no output with a scale has one.
bool may_have_bias(const CaseSpec& spec);
inline constexpr Format kBiasFormats[] = {Format::kBf16, Format::kFp16, Format::kFp32};
constexpr bool is_bias_format(Format format) {
  for (const Format taken : kBiasFormats) {
    if (taken == format) { return true; }
  }
  return false;
}
// True where something is added to the sums of products: C, or a bias.
bool adds_to_sums(const CaseSpec& spec);
// Products in the longest sum of an element.
Index longest_reduction(const CaseSpec& spec);
// Σ rows.
Index total_rows(const CaseSpec& spec);
// Σ rows * k * n: multiply-adds of one call.
Index multiply_adds(const CaseSpec& spec);

}  // namespace assay
