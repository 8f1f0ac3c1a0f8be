// Codes of 8 bits and fewer, read in another way than they are written.
#include <algorithm>
#include <span>

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

constexpr Factor kFactors[] = {Factor::kA, Factor::kB};

// `read(matrix)` is what becomes of each of these operands, nothing where it stays as it is.
template <class Read>
void claim_read(const Evidence& evidence, std::span<const Factor> factors, std::string_view key,
                std::string_view what, std::vector<Claim>& claims, const Read& read) {
  const CaseSpec& spec = evidence.problem.spec;
  const Role role = role_of(spec.pass, factors.front()).role;
  std::string operands(name(role));
  if (factors.size() > 1) {
    operands += fmt::format(" and {}", name(role_of(spec.pass, factors.back()).role));
  }
  Claim claim{.key = fmt::format("{} {}", key, operands),
              .sentence = fmt::format("{} of {} {}", name(format_of(spec, role)), operands, what)};
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kValue);
    for (const Factor factor : factors) {
      const auto other = read(factor_of(evidence.product(expert), factor));
      if (!other) { continue; }
      (factor == Factor::kA ? part.product.a : part.product.b) = other->matrix;
      part.storage.push_back(other->storage);
    }
    if (!part.storage.empty()) { claim.parts.push_back(std::move(part)); }
  }
  if (!claim.parts.empty()) { claims.push_back(std::move(claim)); }
}

// Of each operand alone, and of both where one reader may serve them.
template <class Read>
void claim_read_anywhere(const Evidence& evidence, std::string_view key, std::string_view what,
                         std::vector<Claim>& claims, const Read& read) {
  for (const Factor factor : kFactors) {
    claim_read(evidence, {{factor}}, key, what, claims, read);
  }
  if (!evidence.problem.spec.in.alike()) { return; }
  claim_read(evidence, kFactors, key, what, claims, read);
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

// What a code of 8 bits in two's complement is taken for; all of it fits bf16.
std::optional<Rewritten> int8_as(const oracle::Matrix& from, double (*value)(std::uint32_t bits)) {
  if (!oracle::shape(from.format).integer) { return std::nullopt; }
  return rewritten(from, oracle::Format::kBf16, [&](Index row, Index col) {
    return oracle::round_nearest(oracle::Format::kBf16, value(from.bits(row, col)));
  });
}

double as_unsigned(std::uint32_t bits) { return bits; }
double less_128(std::uint32_t bits) { return static_cast<double>(bits) - 128; }
double as_sign_and_magnitude(std::uint32_t bits) {
  const double size = bits & 0x7f;
  return (bits & 0x80) != 0 ? -size : size;
}

double as_symmetric(std::uint32_t bits) {
  return std::max(-127.0, static_cast<double>(static_cast<std::int8_t>(bits)));
}

void claim_misread_int8(const Evidence& evidence, std::vector<Claim>& claims) {
  const struct {
    std::string_view key, what;
    double (*value)(std::uint32_t bits);
  } kReadings[] = {{"unsigned", "is read as unsigned", as_unsigned},
                   {"zero_point", "is read as unsigned with the zero at 128", less_128},
                   {"magnitude", "is read as sign and magnitude", as_sign_and_magnitude},
                   {"symmetric", "has its least number read as -127", as_symmetric}};
  for (const auto& reading : kReadings) {
    claim_read_anywhere(evidence, reading.key, reading.what, claims,
                        [&](const oracle::Matrix& from) { return int8_as(from, reading.value); });
  }
}

void claim_read_as(const Evidence& evidence, Factor factor, Format taken, std::string_view what,
                   std::vector<Claim>& claims) {
  claim_read(evidence, {{factor}}, fmt::format("as {}", name(taken)),
             fmt::format("is read as {}{}", name(taken), what), claims,
             [&](const oracle::Matrix& from) {
               return rewritten(from, to_oracle(taken),
                                [&](Index row, Index col) { return from.bits(row, col); });
             });
}

}  // namespace

void propose_misread_codes(const Evidence& evidence, std::vector<Claim>& claims) {
  claim_read_anywhere(evidence, "halves", "has the halves of each byte exchanged", claims,
                      with_halves_swapped);
  claim_read_anywhere(evidence, "integers", "is read as integers", claims, as_integers);
  claim_misread_int8(evidence, claims);
  const Inputs& in = evidence.problem.spec.in;
  for (const Factor factor : kFactors) {
    const bool left = factor == Factor::kA;
    const Format own = (left ? in.a : in.b).format, others = (left ? in.b : in.a).format;
    for (const Format taken : kAllFormats) {
      if (taken != own && taken != others && traits(taken).bits == 8 && traits(own).bits == 8) {
        claim_read_as(evidence, factor, taken, "", claims);
      }
    }
  }
}

void propose_codes_in_the_others_format(const Evidence& evidence, std::vector<Claim>& claims) {
  const Inputs& in = evidence.problem.spec.in;
  for (const Factor factor : kFactors) {
    const Format taken = (factor == Factor::kA ? in.b : in.a).format;
    claim_read_as(evidence, factor, taken, ", the other input's format", claims);
  }
}

}  // namespace assay
