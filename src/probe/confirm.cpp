#include "src/probe/confirm.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "oracle/model/model.h"
#include "src/harness/judge/dequantised.h"
#include "src/harness/judge/judge_case.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr Index kRealLength = 602, kRealWidth = 60;

// A long reduction that ends within a step, few outputs.
CaseSpec real_case(const Probing& probing, const CaseSpec& base, Fill fill) {
  const Manifest& probed = probing.report.probed;
  CaseSpec spec = base;
  const auto at_least = [](Index width, Index multiple) {
    return (width / multiple + 1) * std::max<Index>(multiple, 1);
  };
  const Axis depth = operation(spec.pass).depth();
  const auto width = [&](Axis axis) { return axis == depth ? kRealLength : kRealWidth; };
  const Manifest& own = probing.lab.own();
  const Index k_multiple = std::lcm(probed.k_multiple, own.multiple(Axis::kK, spec.pass));
  const Index n_multiple = std::lcm(probed.n_multiple, own.multiple(Axis::kN, spec.pass));
  spec.k = at_least(width(Axis::kK), k_multiple);
  spec.n = at_least(width(Axis::kN), n_multiple);
  const Index rows = at_least(width(Axis::kRows), probed.row_multiple);
  spec.rows = {rows, rows};
  if (spec.cap > 0) { spec.cap = rows; }
  spec.fill = fill;
  return probing.lab.placed(spec);
}

const char* words_of(DeclaredArithmetic::Scales scales) {
  using Scales = DeclaredArithmetic::Scales;
  return scales == Scales::kSums           ? "multiplied into sums"
         : scales == Scales::kOperands     ? "multiplied into operands"
         : scales == Scales::kOperandsBf16 ? "multiplied into operands of bf16"
         : scales == Scales::kOperandsFp16 ? "multiplied into operands of fp16"
         : scales == Scales::kSumsOneByOne ? "multiplied into sums one by one"
                                           : "multiplied in at the end";
}

}  // namespace

Confirmation confirm(Probing& probing, const CaseSpec& base, const DeclaredArithmetic& arithmetic) {
  Manifest manifest = probing.report.probed;
  manifest.arithmetic = arithmetic;
  Confirmation sum;
  for (const Fill fill : {Fill::kCancelling, Fill::kNormal}) {
    const CaseSpec spec = real_case(probing, base, fill);
    if (!check_case(spec)) { continue; }
    const Problem problem = make_problem(spec);
    const Outcome outcome = probing.lab.run(problem);
    if (outcome.status != RunStatus::kOk) { continue; }
    const MultipliedCase multiplied(problem, arithmetic);
    const auto products = products_of(*multiplied, outcome.output.data());
    const oracle::Arithmetic model = to_oracle(manifest, multiplied->spec);
    // Scales that change along the reduction are not for its end.
    if (!oracle::is_predictable(model, products.front())) { continue; }
    const auto compared = oracle::compare_with_model(products, model);
    sum.elements += compared.elements;
    sum.different += compared.different;
  }
  return sum;
}

bool probe_scales(Probing& probing, const CaseSpec& base, DeclaredArithmetic& arithmetic) {
  using Scales = DeclaredArithmetic::Scales;
  CaseSpec spec = base;
  for (const Combination& each : probing.report.probed.formats_of(spec.pass)) {
    const bool wider = each.out == Format::kFp32 && spec.out != Format::kFp32;
    if (each.in.scaled() && (!spec.in.scaled() || wider)) { use(each, spec); }
  }
  if (!spec.in.scaled() || !arithmetic.foretells_bits()) { return true; }
  const bool integers = arithmetic.is_int32();
  const int found = arithmetic.promotion_interval;
  const std::pair<Scales, int> ways[] = {
      {Scales::kSums, found},         {Scales::kOperands, found},   {Scales::kEnd, found},
      {Scales::kSumsOneByOne, found}, {Scales::kSums, 0},           {Scales::kOperandsBf16, found},
      {Scales::kOperandsFp16, found}, {Scales::kSums, 32},          {Scales::kSums, 64},
      {Scales::kSums, 128},           {Scales::kSums, 256},         {Scales::kSumsOneByOne, 32},
      {Scales::kSumsOneByOne, 64},    {Scales::kSumsOneByOne, 128}, {Scales::kSumsOneByOne, 256}};
  for (const auto& [scales, interval] : ways) {
    DeclaredArithmetic declared = arithmetic;
    declared.scales = scales;
    declared.promotion_interval = interval;
    if (integers && !declared.multiplies_sums()) { continue; }
    // Sums of integers are added in fp32 where scales change along the reduction.
    if (integers) { declared.ascending = declared.scales_each_sum(); }
    const Confirmation real = confirm(probing, spec, declared);
    if (!real.confirmed()) { continue; }
    arithmetic = declared;
    probing.row(
        "scales", words_of(scales),
        fmt::format("in={}{}: {} outputs as the model says", inputs_text(spec.in, spec.pass),
                    interval > 0 ? fmt::format(", every {} products", interval) : "",
                    real.elements));
    return true;
  }
  probing.row("scales", "unknown",
              fmt::format("in={}: operands, sums or the end: none foretells the bits",
                          inputs_text(spec.in, spec.pass)));
  return !base.in.scaled();
}

}  // namespace assay
