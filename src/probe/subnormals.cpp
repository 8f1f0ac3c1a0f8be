// Which formats' subnormals a kernel takes or leaves as zero.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/probe/reduction_bench.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

// One product of two numbers that every element format holds: 2^left * 2^right.
struct Powers {
  int left = 0, right = 0;
};

// What becomes of it; nothing where the kernel does not answer.
std::optional<double> product(Probing& probing, const Combination& format, const Powers& powers) {
  CaseSpec spec = probing.base;
  spec.pass = probing.report.probed.passes.front();
  use(format, spec);
  spec.acc = 0;
  spec = probing.lab.placed(spec);
  if (!check_case(spec) || spec.rows.front() == 0) { return std::nullopt; }
  Problem problem = make_problem(spec, problem_options());
  for (const Role role : kAllRoles) { fill_scales(problem.scales[role], 1); }
  fill_all(left_operand(problem), 0);
  fill_all(right_operand(problem), std::ldexp(1.0, powers.right));
  const Format left = spec.in.a.format;
  store_bits(left, left_element(problem, 0, 0), encode(left, std::ldexp(1.0, powers.left)));
  const Outcome outcome = probing.lab.run(problem);
  if (outcome.status != RunStatus::kOk) { return std::nullopt; }
  return output_of(problem, outcome, 0);
}

// Binary orders below the smallest normal number; e2m1 has but one, integers have none.
int below_normal(Format format) {
  return traits(format).integer ? 0 : std::min(2, traits(format).significand_bits - 1);
}

// A subnormal operand times one that makes the product a normal number of every format.
Powers of_subnormal_input(const Combination& format) {
  const int left = traits(format.in.a.format).min_exponent - below_normal(format.in.a.format);
  const int most = traits(format.in.b.format).max_exponent - 1;
  return {left, std::min(most, 2 - traits(format.out).min_exponent)};
}

// Two normal operands whose product is a subnormal output.
Powers of_subnormal_output(const Combination& format) {
  const int sum = traits(format.out).min_exponent - below_normal(format.out);
  const int right = std::max(sum / 2, traits(format.in.b.format).min_exponent);
  return {sum - right, right};
}

bool is_product(const Combination& format, const Powers& powers, bool subnormal) {
  const int sum = powers.left + powers.right, least = traits(format.out).min_exponent;
  const bool left_holds =
      powers.left >= traits(format.in.a.format).min_exponent - below_normal(format.in.a.format);
  return left_holds && (subnormal ? sum < least : sum >= least);
}

// Whether the product that is not zero comes back as zero.
bool becomes_zero(Probing& probing, const Combination& format, const Powers& powers,
                  bool subnormal) {
  if (!is_product(format, powers, subnormal)) { return false; }
  const auto found = product(probing, format, powers);
  return found && *found == 0;
}

void add_once(std::vector<Format>& formats, Format format) {
  if (std::ranges::count(formats, format) == 0) { formats.push_back(format); }
}

std::string text_of(const std::vector<Format>& formats) {
  std::vector<std::string_view> words;
  for (const Format format : formats) { words.push_back(name(format)); }
  return words.empty() ? "kept" : fmt::format("zero in {}", fmt::join(words, ", "));
}

}  // namespace

void probe_subnormals(Probing& probing) {
  Manifest& probed = probing.report.probed;
  // Narrow partial sums lose what is too small for them.
  if (probed.arithmetic.partials != "fp32" || probing.lab.own().arithmetic.partials != "fp32") {
    return;
  }
  Subnormals seen;
  const auto formats = probed.formats_of(probed.passes.front());
  for (const Combination& format : formats) {
    if (probing.lab.gives_up()) { return; }
    const bool input = becomes_zero(probing, format, of_subnormal_input(format), false);
    if (input) { add_once(seen.flushed_inputs, format.in.a.format); }
    const Powers powers = of_subnormal_output(format);
    // A product of an operand that is read as zero says nothing of the output.
    const bool normal = powers.left >= traits(format.in.a.format).min_exponent;
    if ((normal || !input) && becomes_zero(probing, format, powers, true)) {
      add_once(seen.flushed_outputs, format.out);
    }
  }
  const auto has_none = [](const Combination& format) { return format.in.integers(); };
  if (std::ranges::all_of(formats, has_none)) { return; }
  probed.subnormals = seen;
  probing.settle("subnormals");
  probing.row("subnormal inputs", text_of(seen.flushed_inputs),
              "one times a large number, in each format");
  probing.row("subnormal outputs", text_of(seen.flushed_outputs),
              "a product below the smallest normal number, in each format");
}

}  // namespace assay
