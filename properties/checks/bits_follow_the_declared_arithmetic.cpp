// Real-valued outputs, cancelling ones included, are bit for bit those of the declared arithmetic.
#include <fmt/format.h>

#include "oracle/model/model.h"
#include "properties/support/case_run.h"
#include "src/harness/judge/dequantised.h"

namespace assay {
namespace {

std::optional<std::string> not_applicable(const Manifest& manifest) {
  const DeclaredArithmetic& arithmetic = manifest.arithmetic;
  if (arithmetic.kind == DeclaredArithmetic::Kind::kUndeclared) {
    return "the manifest declares no arithmetic";
  }
  if (arithmetic.splits != 1) { return "the manifest declares a split reduction"; }
  if (!arithmetic.foretells_bits()) { return "the manifest declares no order of summation"; }
  return std::nullopt;
}

void prepare(CaseSpec& spec, const Manifest&) {
  // One sign makes sums of integers large.
  if (traits(spec.in.a.format).integer && spec.fill == Fill::kPositive) { return; }
  spec.fill = spec.seed % 3 == 0 ? Fill::kNormal : Fill::kCancelling;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  Verdict verdict{.kind = VerdictKind::kPassed};
  const Outcome outcome = kernel.run(problem, {});
  if (!accept_status(verdict, problem, manifest, outcome)) { return verdict; }
  judge_numbers(verdict, problem, manifest, outcome.output);
  // The model knows every bit: whether the bound would also accept a trivial answer no longer
  // matters.
  if (verdict.kind == VerdictKind::kInconclusive) { verdict.kind = VerdictKind::kPassed; }
  if (verdict.kind != VerdictKind::kPassed) { return verdict; }
  verdict.reason.clear();
  const MultipliedCase multiplied(problem, manifest.arithmetic);
  const auto products = products_of(*multiplied, outcome.output.data());
  const oracle::Arithmetic arithmetic = to_oracle(manifest, multiplied->spec);
  // Where scales are multiplied in is not declared: judged by the bound alone.
  if (!oracle::is_predictable(arithmetic, products.front())) { return verdict; }
  const oracle::BitComparison bits = oracle::compare_with_model(products, arithmetic);
  verdict.elements = bits.elements;
  if (bits.different == 0) { return verdict; }
  verdict.wrong_elements = bits.different;
  fail(verdict, Aspect::kManifest,
       fmt::format("{} of {} elements differ from the declared arithmetic", bits.different,
                   bits.elements));
  verdict.worst = Entry{.expert = bits.product,
                        .row = bits.row,
                        .col = bits.col,
                        .got_bits = bits.got_bits,
                        .exact_bits = bits.model_bits,
                        .got = decode(spec.out, bits.got_bits),
                        .exact = decode(spec.out, bits.model_bits)};
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 25, .quick = 50, .ci = 240, .peers = 160, .full = 800},
    {.generator = "long_reduction", .seed = 26, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "many_tiles", .seed = 27, .quick = 4, .ci = 18, .peers = 38, .full = 192},
    {.generator = "empties", .seed = 28, .quick = 10, .ci = 48, .peers = 32, .full = 160},
    {.generator = "tile_borders", .seed = 29, .quick = 8, .ci = 38, .peers = 26, .full = 128},
    {.generator = "many_experts", .seed = 119, .ci = 36, .peers = 22, .full = 108},
    {.generator = "integer_sums", .seed = 172, .quick = 4, .ci = 12, .peers = 9, .full = 48},
    {.generator = "scaled", .seed = 143, .quick = 18, .ci = 72, .peers = 36, .full = 288},
};

}  // namespace

Check bits_follow_the_declared_arithmetic() {
  return {
      .name = "bits_follow_the_declared_arithmetic",
      .summary =
          "Real-valued outputs, cancelling ones included, are bit for bit those of "
          "the declared arithmetic.",
      .guards_against =
          "another accumulator, order or split than documented, hidden under a loose "
          "bound at large K (kinds V, X)",
      .advice =
          "The values are within the bound but not as declared: order of the sum, width of the "
          "accumulator, rounding of partials or of the store. Correct the manifest or the kernel.",
      .order = 40,
      .draws = kDraws,
      .not_applicable = not_applicable,
      .prepare = prepare,
      .run = run};
}

}  // namespace assay
