// Subnormal numbers taken for zero: operands as they are read, outputs as they are written.
#include <optional>

#include <fmt/format.h>

#include "src/diagnosis/hypotheses/fits.h"
#include "src/diagnosis/hypotheses/rewritten.h"
#include "src/diagnosis/hypotheses/table.h"

namespace assay {
namespace {

// With zeros for subnormals; nothing where there are none.
std::optional<Rewritten> flushed(const oracle::Matrix& from) {
  return rewritten(from, from.format, [&](Index row, Index col) {
    const std::uint32_t bits = from.bits(row, col);
    return is_subnormal(from.format, bits) ? 0 : bits;
  });
}

}  // namespace

void propose_flushed_operands(const Evidence& evidence, std::vector<Claim>& claims) {
  // Of a declared flush it is what follows from it that was wrong.
  const bool declared = evidence.manifest.subnormals.any_flushed();
  const std::string_view undeclared =
      declared ? ", as declared, but what follows is not: zero times infinity is NaN"
               : ", undeclared";
  const CaseSpec& spec = evidence.problem.spec;
  Claim both{.key = "both"}, first{.key = "a"}, second{.key = "b"};
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    const oracle::Product& product = evidence.product(expert);
    const auto a = flushed(product.a), b = flushed(product.b);
    const auto add = [&](Claim& claim, bool with_a, bool with_b) {
      if (!(with_a && a) && !(with_b && b)) { return; }
      ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kValue);
      if (with_a && a) { part.product.a = a->matrix; }
      if (with_b && b) { part.product.b = b->matrix; }
      if (with_a && a) { part.storage.push_back(a->storage); }
      if (with_b && b) { part.storage.push_back(b->storage); }
      claim.parts.push_back(std::move(part));
    };
    add(both, true, true);
    add(first, true, false);
    add(second, false, true);
  }
  both.sentence = fmt::format("subnormal {} operands are read as zero{}",
                              joint_text(spec.in).value_or("input"), undeclared);
  const auto of_one = [&](oracle::Factor factor) {
    const Role role = role_of(spec.pass, factor).role;
    return fmt::format("subnormal {} elements of {} are read as zero{}",
                       name(format_of(spec, role)), name(role), undeclared);
  };
  first.sentence = of_one(oracle::Factor::kA);
  second.sentence = of_one(oracle::Factor::kB);
  for (Claim* claim : {&both, &first, &second}) {
    if (!claim->parts.empty()) { claims.push_back(std::move(*claim)); }
  }
}

void propose_flushed_outputs(const Evidence& evidence, std::vector<Claim>& claims) {
  if (evidence.manifest.subnormals.any_flushed()) { return; }
  Claim claim{.key = "",
              .sentence = fmt::format("subnormal {} outputs are written as zero, undeclared",
                                      name(evidence.problem.spec.out))};
  claim.parts =
      elements_where(evidence, ClaimedPart::Kind::kBits, [&](Index expert, Index row, Index col) {
        const auto element = static_cast<std::size_t>(evidence.element(expert, row, col));
        return is_subnormal(evidence.product(expert).got.format, evidence.exact_bits[element]);
      });
  for (ClaimedPart& part : claim.parts) {
    const oracle::Matrix& got = evidence.product(part.expert).got;
    const std::uint32_t sign = oracle::shape(got.format).sign_bit();
    part.bits = {got.bits(part.row, part.col) == sign ? sign : 0};  // a zero of either sign
  }
  if (!claim.parts.empty()) { claims.push_back(std::move(claim)); }
}

}  // namespace assay
