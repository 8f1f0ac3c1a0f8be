// Twice an operand gives exactly twice the result, as long as nothing leaves the normal range.
#include <cmath>

#include <fmt/format.h>

#include "properties/support/relation.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) {
  if (has_special_values(spec.fill) || spec.fill == Fill::kCoded) { spec.fill = Fill::kNormal; }
}

// Doubles every element in place; false when one is outside [2^(emin+1), max/4] and not 0.
bool double_all(DenseOperand& operand) {
  const FormatTraits& format = traits(operand.format);
  const double smallest = std::ldexp(1.0, format.min_exponent + 1);
  for (Index row = 0; row < operand.rows; ++row) {
    for (Index col = 0; col < operand.cols; ++col) {
      const double value =
          decode(operand.format, load_bits(operand.format, operand.element(row, col)));
      const double size = std::abs(value);
      if (value != 0 && !(size >= smallest && size <= format.max_finite / 4)) { return false; }
      store_bits(operand.format, operand.element(row, col), encode(operand.format, 2 * value));
    }
  }
  return true;
}

// Every scale, a tensor's where it has one, instead of every code. False as above, with room for
// what the kernel makes of them.
bool double_all(DenseScales& scales) {
  constexpr double kSmallest = 0x1p-60, kLargest = 0x1p60;
  const auto has_room = [](double size) { return size >= kSmallest && size <= kLargest; };
  if (scales.tensors > 0) {
    for (float& scale : scales.tensor_scales) {
      if (!has_room(std::abs(scale))) { return false; }
      scale *= 2;
    }
    return true;
  }
  const bool narrow = scales.format == ScaleFormat::kE4m3;
  for (Index row = 0; row < scales.rows; ++row) {
    for (Index col = 0; col < scales.cols; ++col) {
      const double value = decode(scales.format, scales.load(row, col));
      const double size = std::abs(value);
      if (!(size >= (narrow ? 0x1p-5 : kSmallest) && size <= (narrow ? 128 : kLargest))) {
        return false;
      }
      scales.store(row, col, encode(scales.format, 2 * value));
    }
  }
  return true;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun once = run_and_judge(kernel, problem);
  Verdict& verdict = once.verdict;
  if (!nothing_wrong(verdict)) { return verdict; }
  Problem twice = problem;
  const Role left = operation(spec.pass).a.role;
  const bool scaled = (twice.scales[left].present() ? double_all(twice.scales[left])
                                                    : double_all(twice.operands[left])) &&
                      (spec.acc == 0 || double_all(twice.output())) &&
                      (!spec.bias || double_all(twice.bias));
  if (!scaled) {
    return verdict;  // judged by the oracle all the same
  }
  const Outcome outcome = kernel.run(twice, {});
  if (!accept_outcome(verdict, twice, manifest, outcome)) { return verdict; }
  if (!same_case_repeats_bits(manifest, spec)) { return verdict; }
  // Partial sums are stored in a range that real values may leave on the way.
  const bool narrow_partials =
      manifest.arithmetic.splits > 1 && manifest.arithmetic.partials == "fp16";
  if (narrow_partials && !is_exact(spec.fill)) { return verdict; }
  const DenseOperand& output = problem.output();
  const FormatTraits& format = traits(output.format);
  const double smallest = std::ldexp(1.0, format.min_exponent + 1);
  for (Index row = 0; row < output.rows; ++row) {
    for (Index col = 0; col < output.cols; ++col) {
      const Index byte = (row * output.cols + col) * size_bytes(output.format);
      const double before =
          decode(output.format, load_bits(output.format, once.low.output.data() + byte));
      const double after =
          decode(output.format, load_bits(output.format, outcome.output.data() + byte));
      if (!(std::abs(before) >= smallest && std::abs(before) <= format.max_finite / 4)) {
        continue;
      }
      if (after == 2 * before) { continue; }
      fail(verdict, Aspect::kRelation,
           fmt::format("doubling an operand turns {} into {}", before, after));
      verdict.worst = Entry{.row = row, .col = col, .got = after, .exact = 2 * before};
      return verdict;
    }
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 78, .quick = 25, .ci = 120, .peers = 80, .full = 400},
    {.generator = "scaled", .seed = 156, .quick = 9, .ci = 36, .peers = 18, .full = 144},
};

}  // namespace

Check scaling_by_two_is_exact() {
  return {.name = "scaling_by_two_is_exact",
          .summary =
              "Twice an operand, or twice its scales, gives exactly twice the result, as long as "
              "nothing leaves the normal range.",
          .guards_against = "absolute thresholds and constants added to results (kinds M, X)",
          .advice =
              "Twice the input is not twice the output although nothing over- or underflows: a "
              "constant is added, a threshold or a scale is applied.",
          .order = 210,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = run};
}

}  // namespace assay
