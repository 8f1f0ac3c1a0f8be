// Real-valued outputs, cancelling ones included, are bit for bit those of the declared arithmetic.
#include <fmt/format.h>

#include "oracle/model/model.h"
#include "properties/support/case_run.h"

namespace assay {
namespace {

std::optional<std::string> not_applicable(const Manifest& manifest) {
  const DeclaredArithmetic& arithmetic = manifest.arithmetic;
  if (arithmetic.kind == DeclaredArithmetic::Kind::kUndeclared) {
    return "the manifest declares no arithmetic";
  }
  if (!arithmetic.ascending) { return "the manifest declares no order of summation"; }
  if (arithmetic.splits != 1) { return "the manifest declares a split reduction"; }
  return std::nullopt;
}

void prepare(CaseSpec& spec, const Manifest&) {
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
  const auto products = products_of(problem, outcome.output.data());
  const oracle::BitComparison bits =
      oracle::compare_with_model(products, to_oracle(manifest, spec.in));
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

}  // namespace

Check bits_follow_the_declared_arithmetic() {
  return {.name = "bits_follow_the_declared_arithmetic",
          .sentence =
              "Real-valued outputs, cancelling ones included, are bit for bit those of "
              "the declared arithmetic.",
          .field_bug =
              "another accumulator, order or split than documented, hidden under a loose "
              "bound at large K (kinds V, X)",
          .not_applicable = not_applicable,
          .prepare = prepare,
          .run = run};
}

}  // namespace assay
