// Codes of 8 bits and fewer, read in another way than they are written.
#include <fmt/format.h>

#include "src/diagnosis/hypotheses/fits.h"
#include "src/diagnosis/hypotheses/rewritten.h"
#include "src/diagnosis/hypotheses/table.h"

namespace assay {
namespace {

using oracle::Factor;

const oracle::Matrix& factor_of(const oracle::Product& product, Factor factor) {
  return factor == Factor::kA ? product.a : product.b;
}

// `read(matrix)` is what becomes of an operand, nothing where it stays as it is.
template <class Read>
void claim_read(const Evidence& evidence, Factor factor, std::string_view key,
                std::string_view what, std::vector<Claim>& claims, const Read& read) {
  const Role role = role_of(evidence.problem.spec.pass, factor).role;
  Claim claim{.key = fmt::format("{} {}", key, name(role)),
              .sentence = fmt::format("{} of {} {}", name(format_of(evidence.problem.spec, role)),
                                      name(role), what)};
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    const auto other = read(factor_of(evidence.product(expert), factor));
    if (!other) { continue; }
    ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kValue);
    (factor == Factor::kA ? part.product.a : part.product.b) = other->matrix;
    part.storage.push_back(other->storage);
    claim.parts.push_back(std::move(part));
  }
  if (!claim.parts.empty()) { claims.push_back(std::move(claim)); }
}

bool is_packed(const oracle::Matrix& matrix) { return oracle::shape(matrix.format).bits < 8; }

// Neighbours that share a byte, exchanged.
std::optional<Rewritten> with_halves_swapped(const oracle::Matrix& from) {
  if (!is_packed(from)) { return std::nullopt; }
  const bool along_row = from.col_stride == 1;
  return rewritten(from, from.format, [&](Index row, Index col) {
    return along_row ? from.bits(row, col ^ 1) : from.bits(row ^ 1, col);
  });
}

// The three bits of the magnitude as 0 to 7.
std::optional<Rewritten> as_integers(const oracle::Matrix& from) {
  if (!is_packed(from)) { return std::nullopt; }
  return rewritten(from, oracle::Format::kE4m3, [&](Index row, Index col) {
    const std::uint32_t bits = from.bits(row, col);
    const double size = bits & 7;
    return oracle::round_nearest(oracle::Format::kE4m3, (bits & 8) != 0 ? -size : size);
  });
}

}  // namespace

void propose_misread_codes(const Evidence& evidence, std::vector<Claim>& claims) {
  for (const Factor factor : {Factor::kA, Factor::kB}) {
    claim_read(evidence, factor, "halves", "has the halves of each byte exchanged", claims,
               with_halves_swapped);
    claim_read(evidence, factor, "integers", "is read as integers", claims, as_integers);
  }
}

void propose_codes_in_the_others_format(const Evidence& evidence, std::vector<Claim>& claims) {
  const Inputs& in = evidence.problem.spec.in;
  for (const Factor factor : {Factor::kA, Factor::kB}) {
    const Format taken = (factor == Factor::kA ? in.b : in.a).format;
    const auto read = [&](const oracle::Matrix& from) {
      return rewritten(from, to_oracle(taken),
                       [&](Index row, Index col) { return from.bits(row, col); });
    };
    claim_read(evidence, factor, "format",
               fmt::format("is read as {}, the other input's format", name(taken)), claims, read);
  }
}

}  // namespace assay
