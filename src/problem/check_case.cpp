#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "src/core/text.h"
#include "src/problem/case_text.h"
#include "src/problem/case_words.h"
#include "src/problem/convention.h"
#include "src/problem/limits.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

constexpr Index kMaxInt32 = std::numeric_limits<std::int32_t>::max();

// 'key=value', as the case prints it.
std::string word_of(const CaseSpec& spec, std::string_view key) {
  for (const CaseWord& word : case_words()) {
    if (word.key == key) { return fmt::format("'{}={}'", key, word.print(spec)); }
  }
  return std::string(key);
}

tl::unexpected<Error> refuse_word(const CaseSpec& spec, std::string_view key,
                                  const std::string& why) {
  return make_error(word_of(spec, key) + ": " + why);
}

Status check_formats(const CaseSpec& spec) {
  if (!may_output(spec.in, spec.out)) {
    return refuse_word(spec, "out",
                       fmt::format("with in={} the output is {}", inputs_text(spec.in, spec.pass),
                                   outputs_text(spec.in)));
  }
  if (const auto why = wrong_scales(spec.in)) { return refuse_word(spec, "in", *why); }
  if (spec.acc > 0 && !may_accumulate(spec)) {
    return refuse_word(spec, "acc", "accumulation needs pass=wgrad and out=fp32");
  }
  if (spec.bias && !may_have_bias(spec)) {
    return refuse_word(spec, "bias", "a bias needs pass=fwd and an output without a scale");
  }
  if (spec.bias && !is_bias_format(*spec.bias)) {
    return refuse_word(spec, "bias", "allowed: bf16, fp16, fp32");
  }
  return {};
}

Status check_sizes(const CaseSpec& spec) {
  if (spec.k < 1 || spec.k > kMaxWidth) { return refuse_word(spec, "k", "k is not in [1, 2^31]"); }
  if (spec.n < 1 || spec.n > kMaxWidth) { return refuse_word(spec, "n", "n is not in [1, 2^31]"); }
  if (spec.rows.empty()) { return make_error("'rows=': a case needs at least one expert"); }
  if (spec.experts() > kMaxExperts) {
    return make_error(
        fmt::format("rows: {} experts are more than {}", spec.experts(), kMaxExperts));
  }
  Index total = 0;
  for (const Index rows : spec.rows) {
    if (rows < 0 || rows > kMaxRows - total) {
      return make_error(
          fmt::format("rows: {} is negative or makes more than {} rows", rows, kMaxRows));
    }
    total += rows;
  }
  if (spec.tail < 0 || spec.tail > kMaxRows) {
    return refuse_word(spec, "tail", "not in [0, 2^40]");
  }
  if (spec.pad < 1 || spec.pad > kMaxPad) { return refuse_word(spec, "pad", "not in [1, 2^20]"); }
  if (spec.cap < 0 || spec.cap > kMaxRows) { return refuse_word(spec, "cap", "not in [0, 2^40]"); }
  if (spec.acc < 0 || spec.acc > kMaxAccumulations) {
    return refuse_word(spec, "acc", "not in [0, 16]");
  }
  return {};
}

bool has_buffers(const ConventionTraits& row) { return row.has_buffers; }
bool by_pointers(const ConventionTraits& row) { return row.by_pointers; }
bool expresses_gaps(const ConventionTraits& row) { return row.expresses_gaps; }

Status check_placement(const CaseSpec& spec) {
  const ConventionTraits& row = traits(spec.offsets.convention);
  if (spec.pad > 1 && row.has_buffers) {
    return refuse_word(spec, "pad",
                       fmt::format("offsets={} places experts by cap= alone", row.name));
  }
  if (spec.pad > 1 && !row.expresses_gaps) {
    return refuse_word(spec, "pad",
                       fmt::format("offsets={} cannot express gaps between experts; {} can",
                                   row.name, names_of_conventions(expresses_gaps)));
  }
  if (spec.tail > 0 && row.has_buffers) {
    return refuse_word(spec, "tail",
                       fmt::format("offsets={} has no rows after its buffers", row.name));
  }
  if (spec.cap > 0 && !row.has_buffers) {
    return refuse_word(
        spec, "cap", fmt::format("only offsets={} has buffers", names_of_conventions(has_buffers)));
  }
  const Index most = *std::max_element(spec.rows.begin(), spec.rows.end());
  if (spec.cap > 0 && spec.cap < most) {
    return refuse_word(spec, "cap", fmt::format("an expert has {} rows", most));
  }
  return {};
}

Status check_offsets(const CaseSpec& spec) {
  for (const std::string_view key : {"offsets", "told"}) {
    const OffsetsKind& kind = key == "offsets" ? spec.offsets : spec.told;
    if (!is_offsets_kind(kind)) {
      return refuse_word(spec, key, "allowed: " + offsets_forms(kind.convention));
    }
  }
  const ConventionTraits& truth = traits(spec.offsets.convention);
  const ConventionTraits& told = traits(spec.told.convention);
  if (spec.pointers != Pointers::kInOrder && !(truth.by_pointers && spec.told == spec.offsets)) {
    return refuse_word(spec, "pointers",
                       fmt::format("only offsets={} has pointers, told as they are",
                                   names_of_conventions(by_pointers)));
  }
  if (spec.pointers == Pointers::kShared && output_role(spec.pass) == Role::kW) {
    return refuse_word(spec, "pointers", "two experts cannot write one gradient");
  }
  if (may_be_told(spec.offsets.convention, spec.told.convention)) { return {}; }
  if (truth.by_pointers) {
    return refuse_word(
        spec, "told", fmt::format("offsets={} has pointers and no offsets to mistake", truth.name));
  }
  return refuse_word(spec, "told",
                     fmt::format("needs {}, which offsets={} has not", told.needs, truth.name));
}

Status check_int32(const CaseSpec& spec, const RowLayout& layout) {
  if (spec.offsets.type == IndexType::kI64) { return {}; }
  const ConventionTraits& row = traits(spec.offsets.convention);
  const Index largest = row.counts_only ? *std::max_element(spec.rows.begin(), spec.rows.end())
                                        : layout.physical_rows;
  if (largest > kMaxInt32) {
    return refuse_word(
        spec, "offsets",
        fmt::format("{} rows do not fit int32, whose largest value is {}", largest, kMaxInt32));
  }
  if (row.by_pointers && std::max(spec.k, spec.n) > kMaxInt32) {
    return refuse_word(spec, "offsets", "k and n do not fit int32");
  }
  return {};
}

// The operand's rows [groups of rows] and columns; x and y are one group.
Status check_extent(const CaseSpec& spec, Role role, const RowLayout& layout) {
  const Index element_bytes = size_bytes(format_of(spec, role));
  const Index cols = storage_cols(spec, role);
  const Index rows = role == Role::kW ? storage_rows(spec) : layout.physical_rows;
  const Index groups = role == Role::kW ? spec.experts() : 1;
  const Index pitch = role == Role::kW ? spec.wpitch : 0;
  using Wide = __int128;
  const Wide group = static_cast<Wide>(rows) * (cols + spec.ld[role]) + pitch;
  const Wide extent = group * groups * element_bytes;
  const Wide real_rows = role == Role::kW ? static_cast<Wide>(rows) * groups : total_rows(spec);
  if (extent > kMaxExtentBytes || real_rows * cols * element_bytes > kMaxDenseBytes) {
    return make_error(fmt::format(
        "operand {} of k={} n={} with {} rows and {} experts is too large: at most 2^38 bytes of "
        "elements and 2^46 bytes with its gaps",
        name(role), spec.k, spec.n, layout.physical_rows, spec.experts()));
  }
  return {};
}

// Codes that share a byte: whole bytes a row and gap.
Status check_packing(const CaseSpec& spec) {
  for (const Role role : kAllRoles) {
    const Format format = format_of(spec, role);
    const Index packed = traits(format).packed();
    const auto odd = [&](std::string_view key) {
      return refuse_word(spec, key,
                         fmt::format("{} of operand {} has {} codes a byte: a multiple of {} is "
                                     "needed",
                                     name(format), name(role), packed, packed));
    };
    if (storage_cols(spec, role) % packed != 0) {
      return odd(contiguous_axis(spec, role) == Axis::kK ? "k" : "n");
    }
    if (spec.ld[role] % packed != 0) { return odd("ld"); }
    if (role == Role::kW && spec.wpitch % packed != 0) { return odd("wpitch"); }
  }
  return {};
}

Status check_memory(const CaseSpec& spec) {
  const RowLayout layout = lay_out_rows(spec);
  if (spec.wpitch < 0 || spec.wpitch > kMaxGap) {
    return refuse_word(spec, "wpitch", "not in [0, 2^40]");
  }
  if (spec.scale_pitch < 0 || spec.scale_pitch > kMaxPad) {
    return refuse_word(spec, "scale_pitch", "not in [0, 2^20]");
  }
  for (const Role role : kAllRoles) {
    if (spec.ld[role] < 0 || spec.ld[role] > kMaxGap) {
      return refuse_word(spec, "ld", "not in [0, 2^40]");
    }
    const Index base = spec.base[role];
    const Format format = format_of(spec, role);
    if (base < 0 || base > 255 || base % size_bytes(format) != 0) {
      return refuse_word(
          spec, "base",
          fmt::format("{} of operand {} is not a multiple of the {} bytes of {} below 256", base,
                      name(role), size_bytes(format), name(format)));
    }
    if (Status s = check_extent(spec, role, layout); !s) { return s; }
  }
  return check_int32(spec, layout);
}

}  // namespace

Status check_case(const CaseSpec& spec) {
  for (const auto check :
       {check_sizes, check_formats, check_offsets, check_placement, check_packing, check_memory}) {
    if (Status status = check(spec); !status) { return status; }
  }
  const bool counted = spec.exec.kind == ExecKind::kStreams || spec.exec.kind == ExecKind::kThreads;
  if (spec.exec.count < 1 || spec.exec.count > (counted ? kMaxConcurrency : 1)) {
    return refuse_word(spec, "exec", "the count is not in [1, 64], or not 1 for plain and graph");
  }
  CaseSpec scratch;
  for (const CaseWord& word : case_words()) {
    if (word.key == "tactic" && !word.read(scratch, spec.tactic)) {
      return make_error(fmt::format("tactic: {} is not a tactic name", quote(spec.tactic)));
    }
  }
  return {};
}

}  // namespace assay
