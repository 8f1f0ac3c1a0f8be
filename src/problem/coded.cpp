#include "src/problem/coded.h"

#include <algorithm>
#include <cmath>

#include "src/problem/fill_source.h"
#include "src/problem/rng.h"

namespace assay {
namespace {

Index digits_for(Index values, Index base) {
  Index digits = 1;
  for (Index reach = base; reach < values; reach *= base) { ++digits; }
  return digits;
}

Index digit_of(Index value, Index place, Index base) { return 1 + value / place % base; }

void append_digits(std::vector<CodedDigit>& digits, CodedDigit::Of of, Index count, Index base) {
  Index place = 1;
  for (Index i = 0; i < count; ++i, place *= base) { digits.push_back({of, place}); }
}

// Low digits first: a short reduction has room for the first ones only.
std::vector<CodedDigit> digits_of_a(Index rows, Index experts, Index base) {
  std::vector<CodedDigit> row, expert, digits;
  append_digits(row, CodedDigit::Of::kRow, digits_for(rows, base), base);
  append_digits(expert, CodedDigit::Of::kRowExpert, digits_for(experts, base), base);
  for (std::size_t i = 0; i < std::max(row.size(), expert.size()); ++i) {
    if (i < row.size()) { digits.push_back(row[i]); }
    if (i < expert.size()) { digits.push_back(expert[i]); }
  }
  return digits;
}

Index base_of(const CaseSpec& spec, int exact_bits) {
  double exact = 127;
  for (const Format format : {spec.in.a.format, spec.in.b.format}) {
    const FormatTraits& in = traits(format);
    exact = std::min({exact, in.max_finite, std::ldexp(1, in.significand_bits) - 1});
  }
  const auto by_format = static_cast<Index>(exact);
  return std::min(by_format, (Index{1} << exact_bits) / std::max(1, spec.acc));
}

// The digit that an output shows, 0 when it shows none.
Index shown_digit(const CodedScheme& scheme, double output) {
  if (!(std::abs(output) <= 0x1p24)) { return 0; }
  const double unit = scheme.c_is_coded ? static_cast<double>(kCodedCUnit) : 0x1p25;
  const double digit =
      (output - unit * std::floor(output / unit)) / static_cast<double>(scheme.times);
  const bool valid = digit == std::floor(digit) && digit <= static_cast<double>(scheme.base);
  return valid ? static_cast<Index>(digit) : 0;
}

}  // namespace

Index CodedScheme::position(Index row) const {
  const Index count = reduction - a_digits;
  if (row % 4 == 0) { return count - 1; }
  if (row % 4 == 1) { return 0; }
  return static_cast<Index>(child_state(state, static_cast<std::uint64_t>(row)) %
                            static_cast<std::uint64_t>(count));
}

Index CodedScheme::a_value(Index row, Index r) const {
  const Index from_end = reduction - 1 - r;
  if (from_end >= a_digits) { return r == position(row) ? 1 : 0; }
  const CodedDigit& digit = digits[from_end];
  return digit_of(digit.of == CodedDigit::Of::kRow ? row : expert, digit.place, base);
}

Index CodedScheme::b_value(Index r, Index col) const {
  const Index shown = col % static_cast<Index>(digits.size());
  const Index from_end = reduction - 1 - r;
  if (from_end < a_digits) { return from_end == shown ? 1 : 0; }
  if (shown < a_digits) { return 0; }
  const CodedDigit& digit = digits[shown];
  return digit_of(digit.of == CodedDigit::Of::kReduction ? r : expert, digit.place, base);
}

CodedScheme coded_scheme(const CaseSpec& spec, Index expert, int exact_bits) {
  return coded_scheme(spec, expert, exact_bits,
                      *std::max_element(spec.rows.begin(), spec.rows.end()));
}

CodedScheme coded_scheme(const CaseSpec& spec, Index expert, int exact_bits, Index most_rows) {
  const Operation& op = operation(spec.pass);
  const AxisSizes most = axis_sizes(spec, most_rows);
  const Index rows = most[op.m()], reductions = most[op.depth()];
  CodedScheme scheme;
  scheme.expert = expert;
  scheme.reduction = axis_sizes(spec, spec.rows[expert])[op.depth()];
  scheme.times = std::max(1, spec.acc);
  scheme.base = base_of(spec, exact_bits);
  scheme.c_is_coded = adds_to_sums(spec) && spec.out == Format::kFp32 && exact_bits == 24;
  scheme.state = child_state(child_state(spec.seed, static_cast<std::uint64_t>(expert)), 200);
  scheme.digits = digits_of_a(rows, spec.experts(), scheme.base);
  const Index room = std::max<Index>(0, scheme.reduction - 1);
  scheme.a_digits = std::min(static_cast<Index>(scheme.digits.size()), room);
  scheme.digits.resize(static_cast<std::size_t>(scheme.a_digits));
  append_digits(scheme.digits, CodedDigit::Of::kExpert, digits_for(spec.experts(), scheme.base),
                scheme.base);
  append_digits(scheme.digits, CodedDigit::Of::kReduction, digits_for(reductions, scheme.base),
                scheme.base);
  return scheme;
}

CodedReading read_coded(const CodedScheme& scheme, std::span<const double> outputs,
                        Index first_col) {
  const auto count = static_cast<Index>(scheme.digits.size());
  std::vector<Index> shown(scheme.digits.size(), 0);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Index col = first_col + static_cast<Index>(i);
    shown[col % count] = shown_digit(scheme, outputs[i]);
  }
  const auto spell = [&](CodedDigit::Of of) -> std::optional<Index> {
    Index value = 0;
    bool any = false;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (scheme.digits[i].of != of) { continue; }
      if (shown[i] == 0) { return std::nullopt; }
      any = true;
      value += (shown[i] - 1) * scheme.digits[i].place;
    }
    return any ? std::optional<Index>(value) : std::nullopt;
  };
  return {spell(CodedDigit::Of::kRow), spell(CodedDigit::Of::kRowExpert),
          spell(CodedDigit::Of::kExpert), spell(CodedDigit::Of::kReduction)};
}

}  // namespace assay
